"""A receiver of Touchline's webhooks, for Python 3.9 or later without dependencies. Put TLS in front of it.

    WEBHOOK_SECRET=<32 characters> PORT=8090 STORE=messages.db python3 receiver.py
"""

import hashlib
import hmac
import json
import os
import re
import sqlite3
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
STORE = os.environ.get("STORE", "messages.db")
MAX_BODY_BYTES = 5 * 1024 * 1024


def receive(headers, body):
    """Returns status and text of the answer. Checks in the order of the contract: expiration, signature, then the JSON."""
    expiration = headers.get("X-Signature-Expiration-Timestamp", "")
    if not re.fullmatch("[1-9][0-9]{0,15}", expiration) or int(expiration) < int(time.time()):
        return 401, "expired"
    expected = hmac.new(SECRET, body + b"." + expiration.encode(), hashlib.sha256).hexdigest()
    signature = headers.get("X-Signature-SHA256", "")
    if not hmac.compare_digest(signature.encode(), expected.encode()):
        return 401, "not authentic"
    messages = parse(body)
    if messages is None:
        return 400, "not an array of messages with an id"
    for message_id in store(messages):
        print(f"applied {message_id}", flush=True)
    return 200, "Accepted"


def parse(body):
    """Returns pairs of id and JSON; None for another body."""
    try:
        batch = json.loads(body)
        if not isinstance(batch, list):
            return None
        # When `id` is missing, `uuid` is the identifier.
        return [(str(one["id"] if "id" in one else one["uuid"]), json.dumps(one)) for one in batch]
    except (ValueError, KeyError, TypeError):
        return None


def store(messages):
    """Stores the new messages in one transaction, and returns their ids.

    Write the effects of a message in this transaction too, beside its id, so that they happen once even after a crash.
    Start slow work, and calls to other services, from the table afterwards.
    """
    with closing(sqlite3.connect(STORE, timeout=5)) as database, database:
        insert = "INSERT INTO messages (id, json) VALUES (?, ?) ON CONFLICT DO NOTHING"
        return [one[0] for one in messages if database.execute(insert, one).rowcount > 0]


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self.answer(413, "too large, or of unknown length")
        body = self.rfile.read(int(length))
        try:
            self.answer(*receive(self.headers, body))
        except sqlite3.Error as error:
            self.log_error("not stored: %s", error)
            self.answer(500, "not stored, repeat it")

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_request(self, code="-", size="-"):
        pass


if __name__ == "__main__":
    if len(SECRET) != 32:
        raise SystemExit("WEBHOOK_SECRET must have 32 characters")
    with closing(sqlite3.connect(STORE)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, json TEXT NOT NULL)")
    server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8090"))), Receiver)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()
