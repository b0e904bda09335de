"""Reads matches and prints goals and guards, one JSON value a line (docs/guides/reading.md). For Python 3.9 or later.

    pip install -r requirements.txt
    KAFKA_BROKERS=localhost:9092 SCHEMA_REGISTRY_URL=http://localhost:8085/apis/ccompat/v7 python3 reader.py
"""

import io
import json
import os
import signal
import sys
import threading
import time
import urllib.request

import fastavro
from confluent_kafka import OFFSET_BEGINNING, Consumer, IsolationLevel, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec
from match_reader import MatchReader

REGISTRY = os.environ["SCHEMA_REGISTRY_URL"]
PREFIX = os.environ.get("TOPIC_PREFIX", "touchline.")
STATES, TRANSITIONS, HEALTH, HALTS = (
    PREFIX + name for name in ("match-state", "match-transitions", "feed-health", "trading-halts"))
# Transitions are read from this time before an assignment; those that the states already have are dropped by version.
OVERLAP_MS = 60_000
GUARD_EVERY_S = 0.1
ENDS_EVERY_S = 0.4
MAX_ANSWER_S = 1
OPTIONS = {
    "bootstrap.servers": os.environ.get("KAFKA_BROKERS", "localhost:9092"),
    "group.id": os.environ.get("READER_GROUP", "reader-example"),
    "isolation.level": "read_committed",
    "enable.auto.commit": False,
    "enable.partition.eof": True,
    # Assigns all topics alike: the owner of a partition of one topic also owns it in the others.
    "partition.assignment.strategy": "range",
    "session.timeout.ms": 10_000,
    # By default a client waits up to ten seconds until it connects again to a broker that restarts.
    "reconnect.backoff.max.ms": 500,
}



def limit(name):
    """Returns a limit of the reader's own, in seconds; None where it is not set."""
    return float(os.environ[name]) if name in os.environ else None


reader = MatchReader(limit("MAX_AGE_SECONDS"), limit("MAX_DELAY_SECONDS"))
# Lock of the reader: a separate thread prints guards, because a broker that does not answer may block this one.
using = threading.Lock()
schemas = {}
# Whether a request for ends failed.
failed = threading.Event()


def decode(value):
    """Avro behind a zero byte and the id of its schema in the registry."""
    if value is None:
        return None
    schema_id = int.from_bytes(value[1:5], "big")
    if schema_id not in schemas:
        with urllib.request.urlopen(f"{REGISTRY}/schemas/ids/{schema_id}") as response:
            schemas[schema_id] = fastavro.parse_schema(json.loads(json.load(response)["schema"]))
    return fastavro.schemaless_reader(io.BytesIO(value[5:]), schemas[schema_id])


def show(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def steady_ms():
    return time.monotonic() * 1000


def on_assign(consumer, assigned):
    partitions = sorted(one.partition for one in assigned if one.topic == STATES)
    with using:
        reader.assign(partitions)
    since = int(time.time() * 1000) - OVERLAP_MS
    times = [TopicPartition(TRANSITIONS, partition, since) for partition in partitions]
    begin = consumer.offsets_for_times(times, timeout=30) if times else []
    consumer.assign([TopicPartition(STATES, partition, OFFSET_BEGINNING) for partition in partitions] + begin)
    show({"type": "assigned", "partitions": partitions})


def take(message):
    """Applies a record and returns the changes."""
    error, topic, partition = message.error(), message.topic(), message.partition()
    if error is not None:
        # End of the committed records, behind the markers of transactions: all states of the assignment are read.
        if error.code() == KafkaError._PARTITION_EOF and topic in (STATES, HALTS):
            with using:
                if topic == HALTS:
                    reader.halts_read_to(message.offset())
                else:
                    reader.read_to(partition, message.offset())
        if error.code() == KafkaError._PARTITION_EOF and topic == STATES and is_loading(partition):
            with using:
                return reader.caught_up(partition) + [{"type": "caught_up", "partition": partition}]
        return []
    key, value = message.key().decode(), decode(message.value())
    with using:
        if topic == STATES:
            reader.read_to(partition, message.offset() + 1)
            return reader.apply_state(partition, int(key), value)
        if topic == TRANSITIONS:
            return reader.apply_transition(partition, value)
        if topic == HALTS:
            reader.apply_halt(key, value)
            reader.halts_read_to(message.offset() + 1)
        else:
            reader.apply_health(key, value, steady_ms())
        return []


def is_loading(partition):
    return partition in reader.partitions and reader.partitions[partition].loading


def show_guards():
    """Prints each changed guard. Called by a timer, because a dead feed closes the guard without a record."""
    shown = {}
    while True:
        with using:
            guards = [reader.guard(event_id, time.time() * 1000, steady_ms()) for event_id in reader.event_ids()]
        for guard in guards:
            if shown.get(guard["event"]) != guard:
                show(guard)
            shown[guard["event"]] = guard
        time.sleep(GUARD_EVERY_S)


def ask_for_ends():
    """Tells the reader where its states and the halts end, so that it does not believe what it knows while it gets no records."""
    admin = None
    while True:
        # A client keeps the leaders that it knew: after a failure a new one looks them up.
        if admin is None or failed.is_set():
            failed.clear()
            admin = AdminClient({"bootstrap.servers": OPTIONS["bootstrap.servers"], "reconnect.backoff.max.ms": 500})
        with using:
            partitions = [TopicPartition(STATES, partition) for partition in reader.partitions]
        partitions.append(TopicPartition(HALTS, 0))
        at = steady_ms()
        latest = {one: OffsetSpec.latest() for one in partitions}
        ends = admin.list_offsets(
            latest, isolation_level=IsolationLevel.READ_COMMITTED, request_timeout=MAX_ANSWER_S)
        for of, end in ends.items():
            end.add_done_callback(lambda end, of=of, at=at: tell_end(of, end, at))
        time.sleep(ENDS_EVERY_S)


def tell_end(of, end, at):
    # A broker that does not answer withholds its own ends only.
    if end.exception() is not None:
        failed.set()
        return
    with using:
        if of.topic == HALTS:
            reader.halts_end_at(end.result().offset, at)
        else:
            reader.ends_at(of.partition, end.result().offset, at)


def main():
    running = [True]
    signal.signal(signal.SIGTERM, lambda *_: running.clear())
    consumer = Consumer(OPTIONS)
    consumer.subscribe([STATES, TRANSITIONS], on_assign=on_assign)
    # Feed health and halts have one partition each, which every instance reads outside of the group.
    health = Consumer(OPTIONS)
    health.assign([TopicPartition(topic, 0, OFFSET_BEGINNING) for topic in (HEALTH, HALTS)])
    threading.Thread(target=show_guards, daemon=True).start()
    threading.Thread(target=ask_for_ends, daemon=True).start()
    while running:
        for message in health.consume(500, 0) + consumer.consume(500, 0.05):
            for change in take(message):
                show(change)
    consumer.close()
    health.close()


main()
