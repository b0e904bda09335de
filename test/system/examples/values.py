"""Prints the values of expressions over records, both from standard input."""

import base64
import io
import json
import sys

import fastavro


def read(of):
    schema = fastavro.parse_schema(json.loads(of["schema"]))
    return fastavro.schemaless_reader(io.BytesIO(base64.b64decode(of["bytes"])), schema)


given = json.load(sys.stdin)
decoded = [{name: read(of) for name, of in records.items()} for records in given["records"]]
json.dump([[eval(one, {}, records) for one in given["expressions"]] for records in decoded], sys.stdout)
