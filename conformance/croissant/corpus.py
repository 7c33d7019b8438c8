"""Holds mlcroissant against the documents of croissant/check/testdata: it must load those
that the tables there say it loads, and refuse those that they say it refuses. So the
validator is seen to be stricter than the library, and where, and what it says of a
finding, whether it is loadable, to be true.

    corpus.py [--verdicts]     --verdicts prints what it does with each document

The network cannot be used while it runs."""

import argparse
import copy
import json
import logging
import socket
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

# Another client here brings orjson. The library does not ask for it, and its rdflib reads
# JSON with it more strictly than with what it has by itself.
sys.modules["orjson"] = None
import mlcroissant  # noqa: E402

TESTDATA = Path(__file__).resolve().parents[2] / "croissant" / "check" / "testdata"
FOUND = ("file", "code", "pointer", "library", "others")  # columns of bad.tsv and warned.tsv


def offline():
    """offline makes every use of the network an error: documents may name addresses
    that the library would read."""

    def refuse(*_, **__):
        raise OSError("the network is not used here")

    socket.socket.connect = socket.socket.connect_ex = refuse
    socket.create_connection = socket.getaddrinfo = refuse


def table(name, columns):
    """table returns the lines of a table of the corpus as dictionaries."""
    rows = []
    for line in (TESTDATA / name).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != len(columns):
            raise ValueError(f"{name}: {line!r} has {len(fields)} fields, want {len(columns)}")
        rows.append(dict(zip(columns, fields)))
    return rows


def refusal(path):
    """refusal returns why the library refuses a document, or None if it loads it.
    All that it raises is a refusal: for some faults it has no error of its own."""
    try:
        mlcroissant.Dataset(jsonld=str(path))
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return None


class Comparison:
    """Comparison counts where the library and the tables agree."""

    def __init__(self, verdicts):
        self.verdicts = verdicts
        self.agreed = self.stricter = self.milder = 0
        self.wrong = []

    def check(self, path, want, valid, name):
        """check looks at a document, which is valid here or not. want is "yes" if the
        library should refuse it, else "no"."""
        why = refusal(path)
        got = "no" if why is None else "yes"
        if self.verdicts:
            print(name, got, why or "", sep="\t")
        if got != want:
            self.wrong.append(f"{name}: the library refuses it: {got}, want {want}: {why or 'no error'}")
        elif (got == "no") == valid:
            self.agreed += 1
        elif valid:
            self.milder += 1
        else:
            self.stricter += 1

    def directory(self, name, rows, valid):
        """directory checks the documents of a directory, all of which rows must name."""
        there = {path.name for path in (TESTDATA / name).iterdir()}
        if odd := there ^ {row["file"] for row in rows}:
            self.wrong.append(f"{name}: not both in the directory and in its table: {', '.join(sorted(odd))}")
        for row in rows:
            if row["file"] in there:
                self.check(TESTDATA / name / row["file"], row.get("library", "no"), valid, f"{name}/{row['file']}")


    def changes(self):
        """changes checks the documents of changes.json: those of a base with values that
        are set or dropped at JSON Pointers. One of which all findings are loadable is
        one that the library loads."""
        folder = TESTDATA / "changes"
        bases = {v: json.loads((folder / f"base-{v}.json").read_text(encoding="utf-8")) for v in ("1.0", "1.1")}
        with TemporaryDirectory() as made:
            path = Path(made) / "changed.json"
            for change in json.loads((folder / "changes.json").read_text(encoding="utf-8")):
                document = copy.deepcopy(bases[change["version"]])
                for pointer, value in sorted(change.get("set", {}).items()):
                    put(document, pointer, value)
                for pointer in change.get("drop", []):
                    put(document, pointer)
                path.write_text(json.dumps(document), encoding="utf-8")
                loads = all(finding.endswith(" loadable") for finding in change["found"])
                if loads != change["loads"]:
                    self.wrong.append(f"changes/{change['name']}: the findings are {change['found']}, and it loads: {change['loads']}")
                valid = not any(finding.startswith("E") for finding in change["found"])
                self.check(path, "no" if change["loads"] else "yes", valid, f"changes/{change['name']} {change['version']}")


DROP = object()


def put(document, pointer, value=DROP):
    """put sets a member of a document, or drops it. An index after the last of a list
    adds one."""
    *way, last = (name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:])
    for name in way:
        document = document[int(name)] if isinstance(document, list) else document[name]
    if not isinstance(document, list):
        if value is DROP:
            document.pop(last, None)
        else:
            document[last] = value
    elif value is DROP:
        del document[int(last)]
    else:
        document[int(last) : int(last) + 1] = [value]


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("--verdicts", action="store_true")
    comparison = Comparison(flags.parse_args().verdicts)
    offline()
    logging.disable(logging.CRITICAL)  # of contexts that lack a key that is not used
    comparison.directory("good", table("good.tsv", ("file", "warnings")), valid=True)
    comparison.directory("warned", table("warned.tsv", FOUND), valid=True)
    comparison.directory("bad", table("bad.tsv", FOUND), valid=False)
    comparison.changes()
    for line in comparison.wrong:
        print("FAILED", line)
    print(
        f"Croissant corpus and mlcroissant {version('mlcroissant')}: {comparison.agreed} agreed,"
        f" {comparison.stricter} where we are stricter, {comparison.milder} where we are milder,"
        f" {len(comparison.wrong)} wrong"
    )
    sys.exit(1 if comparison.wrong else 0)


if __name__ == "__main__":
    main()
