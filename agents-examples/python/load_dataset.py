"""Finds a dataset in the catalogue, loads its Croissant document, and hears its sample.

Prints the table of its recordings, what has been measured and what nobody knows, and
writes each channel of the sample as a WAV file. No key is needed.

    VAAK_URL    the server

    python load_dataset.py                       the first dataset with a sample
    python load_dataset.py --language Hindi      the first of a language
    python load_dataset.py SLUG --out DIRECTORY  that one, its audio into a directory
"""

import argparse
import io
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import urlopen

import mlcroissant as mlc
import soundfile

logging.getLogger("absl").setLevel(logging.ERROR)
COLUMNS = ["recording_id", "split", "duration_s", "channels", "sample_rate_hz", "codec"]


def get(path: str) -> Any:
    """get asks the catalogue for JSON, and ends the program if it has none."""
    try:
        with urlopen(os.environ["VAAK_URL"] + path, timeout=60) as answer:
            return json.load(answer)
    except HTTPError as refused:
        sys.exit(f"load_dataset: {json.load(refused)['message']}")
    except URLError as error:
        sys.exit(f"load_dataset: {os.environ['VAAK_URL']} cannot be reached: {error.reason}")


def find(language: str) -> str:
    """find is the slug of the first dataset with a sample, the longest one."""
    found = get("/api/catalogue/datasets?" + urlencode({"sample": "true", "language": language}))
    for dataset in found["datasets"]:
        print(f"found     {dataset['slug']}  {dataset['hours']} h of {dataset['language']}")
    if not found["datasets"]:
        sys.exit(f"load_dataset: no dataset of {language or 'any language'} has a sample")
    return found["datasets"][0]["slug"]


def text(value: Any) -> str:
    """text is a cell as a person reads it. mlcroissant gives texts as UTF-8."""
    return value.decode() if isinstance(value, bytes) else "" if value is None else str(value)


def show_recordings(dataset: mlc.Dataset) -> None:
    rows = [[text(row[f"recordings/{column}"]) for column in COLUMNS] for row in dataset.records("recordings")]
    widths = [max(map(len, cells)) for cells in zip(COLUMNS, *rows, strict=True)]
    for cells in [COLUMNS, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())


def show_facts(document: dict[str, Any], record: dict[str, Any]) -> None:
    """show_facts prints every figure with its unit and how it was come by. Two datasets
    compare only where the method is the same. What is in gaps is unknown: not zero, not no."""
    for fact in document["variableMeasured"]:
        unit = f" [{fact['unitText']}]" if "unitText" in fact else ""
        print(f"measured  {fact['name']}: {fact['value']}{unit}, {fact['measurementTechnique']}")
    for path in record["gaps"]:
        print(f"unknown   {path}")


def write_sample(dataset: mlc.Dataset, record: dict[str, Any], directory: Path) -> None:
    """write_sample writes a file for each channel, which in a dual recording is a speaker."""
    (row,) = dataset.records("sample")
    sound, rate = soundfile.read(io.BytesIO(row["sample/audio"]), always_2d=True)
    directory.mkdir(parents=True, exist_ok=True)
    for stream in record["sample"]["streams"]:
        file = directory / f"{record['slug']}-{stream['channel']}.wav"
        soundfile.write(file, sound[:, stream["channel"] - 1], rate, subtype="PCM_16")
        print(f"wrote     {file}  {len(sound) / rate:.1f} s at {rate} Hz  {stream.get('role', 'all speakers')}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("slug", nargs="?", help="a dataset; the first with a sample if none is named")
    parser.add_argument("--language", default="", help="look for one of this language: Hindi, hi, hi-IN")
    parser.add_argument("--out", type=Path, default=Path("."), help="where the audio goes")
    arguments = parser.parse_args()
    slug = arguments.slug or find(arguments.language)
    record = get(f"/api/catalogue/datasets/{quote(slug, safe='')}")
    document = get(f"/catalogue/datasets/{quote(slug, safe='')}/croissant.json")
    dataset = mlc.Dataset(jsonld=document)
    print(f"\n{dataset.metadata.name}\n{dataset.metadata.description}\n")
    show_recordings(dataset)
    print()
    show_facts(document, record)
    if record["sample"]:
        write_sample(dataset, record, arguments.out)


if __name__ == "__main__":
    if not os.environ.get("VAAK_URL"):
        sys.exit("load_dataset: set VAAK_URL to the address of the server")
    main()
