"""The Croissant metadata of every published dataset, with mlcroissant, the format's
reference library: it reads the documents and through them the files. VAAK_BASE_URL
says where the server is; it has the datasets of `vaak demo`."""

import contextlib
import csv
import functools
import hashlib
import html.parser
import io
import itertools
import json
import logging
import os
import re
import socket
import tempfile
from dataclasses import dataclass
from unittest import mock
from urllib.parse import urlsplit

# mlcroissant keeps what it downloads, and reads where when it is imported.
CACHE = tempfile.TemporaryDirectory(prefix="croissant-")
os.environ.update(CROISSANT_CACHE=CACHE.name, TQDM_DISABLE="1")

import mlcroissant as mlc  # noqa: E402
import numpy as np  # noqa: E402
import requests  # noqa: E402
import soundfile  # noqa: E402
from record import Suite, refusal, run_example  # noqa: E402

suite = Suite("mlcroissant")
ORIGIN = os.environ["VAAK_BASE_URL"]
VALIDATE = f"{ORIGIN}/api/catalogue/croissant/validate"
MEDIA_TYPE = {
    "1.0": "application/ld+json",
    "1.1": 'application/ld+json; profile="http://mlcommons.org/croissant/1.1"',
}
PUBLISHED = 6  # datasets of `vaak demo`
LAYOUTS = {  # what conformance/layouts writes: the paths of the recordings
    "common-voice-zip": [f"hi/clips/common_voice_hi_{n}.mp3" for n in range(1, 5)],
    "kaldi": ["wavs/s1/u1.wav", "wavs/s1/u2.flac", "wavs/s2/u1.wav"],
    "parquet": [f"data/train-00000-of-00001/row-00000{n}.flac" for n in (1, 2, 3)],
}


@dataclass(frozen=True)
class Filed:
    """Filed is one dataset of the catalogue and its document in one version."""

    slug: str
    version: str
    url: str  # of the document
    link: str  # to the record

    @functools.cached_property
    def text(self):
        return fetch(self.url).text

    @functools.cached_property
    def document(self):
        return json.loads(self.text)

    @functools.cached_property
    def record(self):
        return fetch(self.link).json()

    @functools.cached_property
    def dataset(self):
        """dataset is what the library makes of the document, fetched by itself.
        What it only tells its log is an error here."""
        with told() as words:
            dataset = mlc.Dataset(jsonld=self.url)
        assert not words, words
        return dataset

    def rows(self, record_set):
        return list(self.dataset.records(record_set))

    def check_table(self, record_set, url):
        """check_table expects the rows of a RecordSet to be those of a CSV file of
        the record, in order, with a field for each column."""
        table = list(csv.DictReader(io.StringIO(fetch(url).content.decode("utf-8"))))
        rows = self.rows(record_set)
        assert len(rows) == len(table) > 0, f"{len(rows)} rows, the file has {len(table)}"
        for row, cells in zip(rows, table, strict=True):
            assert sorted(row) == sorted(f"{record_set}/{column}" for column in cells), row
            for column, cell in cells.items():
                value = row[f"{record_set}/{column}"]
                assert same(value, cell), f"{column} is {value!r}, the file says {cell!r}"
        return len(rows)


def same(value, cell):
    """same tells whether a value that the library read is what a cell holds. It
    reads texts as their bytes, and empty cells as None."""
    if value is None:
        return cell == ""
    if isinstance(value, bytes):
        return value.decode("utf-8") == cell
    return float(value) == float(cell)


def fetch(url, status=200, **headers):
    answer = requests.get(url, headers={name.replace("_", "-"): value for name, value in headers.items()}, timeout=60)
    assert answer.status_code == status, f"{url}: {answer.status_code} {answer.text[:300]}"
    return answer


@contextlib.contextmanager
def told():
    """told collects the warnings that the library logs."""
    words, log = [], logging.getLogger("absl")
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: words.append(record.getMessage())
    log.addHandler(handler)
    try:
        yield words
    finally:
        log.removeHandler(handler)


@contextlib.contextmanager
def local():
    """local refuses connections to any host but the server's."""
    allowed, connect = urlsplit(ORIGIN), socket.socket.connect

    def only(self, address):
        assert address[:2] == (allowed.hostname, allowed.port), f"a connection to {address}"
        return connect(self, address)

    with mock.patch.object(socket.socket, "connect", only):
        yield


@functools.cache
def filed(version):
    """filed is every published dataset with its document in the version."""
    briefs = fetch(f"{ORIGIN}/api/catalogue/datasets").json()["datasets"]
    assert len(briefs) == PUBLISHED, [brief["slug"] for brief in briefs]
    query = "" if version == "1.0" else f"?version={version}"
    return [Filed(b["slug"], version, b["croissant"] + query, b["record"]) for b in briefs]


def of_each(method, what, versions=tuple(MEDIA_TYPE)):
    """of_each marks a test of one document as one of those of every dataset."""

    def mark(test):
        @suite.shows(method, f"{' and '.join(versions)}: {what}")
        def _():
            with local():
                for one in itertools.chain.from_iterable(map(filed, versions)):
                    try:
                        test(one)
                    except Exception as error:
                        error.add_note(f"in the metadata of {one.slug}, {one.version}")
                        raise

    return mark


@of_each("Dataset", "no error, no warning, and the RecordSets that the record promises")
def _(one):
    issues = one.dataset.metadata.ctx.issues
    assert not issues.errors and not issues.warnings, issues.report()
    assert one.dataset.metadata.ctx.is_v1_1() == (one.version == "1.1")
    record, sample = one.record, one.record["sample"]
    promised = {
        "recordings": record["manifest"],
        "splits": record["splits"],
        "sample": sample,
        "sample_segments": sample and sample["transcript"],
    }
    found = [record_set.uuid for record_set in one.dataset.metadata.record_sets]
    assert sorted(found) == sorted(name for name, there in promised.items() if there), found


@of_each("records(recordings)", "every row, as recordings.csv has it")
def _(one):
    assert one.check_table("recordings", one.record["manifest"]) == one.record["recordings"]


@of_each("records(sample_segments)", "every row, as segments.csv has it")
def _(one):
    transcript = one.record["sample"]["transcript"]
    assert one.check_table("sample_segments", transcript["url"]) == transcript["count"]


@of_each("records(splits)", "those of the record")
def _(one):
    assert [row["splits/name"] for row in one.rows("splits")] == [split["name"] for split in one.record["splits"]]


@of_each("records(sample)", "the file, which is sound of the rate, the channels and the length in the record")
def _(one):
    sample = one.record["sample"]
    ((content,),) = (row.values() for row in one.rows("sample"))
    sound, rate = soundfile.read(io.BytesIO(content), always_2d=True)
    assert rate == sample["sampleRateHz"], f"{rate} Hz"
    assert sound.shape[1] == sample["channels"], sound.shape
    wanted = sample["durationS"] * sample["sampleRateHz"]
    assert abs(len(sound) - wanted) <= 1, f"{len(sound)} samples, the record says {wanted}"
    loudness = np.sqrt(np.mean(np.square(sound), axis=0))
    assert all(0.01 < each < 0.5 for each in loudness), f"{loudness} of full scale"


@of_each("distribution", "every file is there, with the size, the SHA-256 and the type that the document says")
def _(one):
    files = [f for f in one.document["distribution"] if f["@type"] == "cr:FileObject"]
    sample = one.record["sample"]
    public = {one.record["manifest"], sample["url"], sample["transcript"]["url"]}
    assert {file["contentUrl"] for file in files} == public, files
    for file in files:
        answer = fetch(file["contentUrl"])
        assert hashlib.sha256(answer.content).hexdigest() == file["sha256"], file
        assert f"{len(answer.content)} B" == file["contentSize"], file
        assert answer.headers["content-type"].split(";")[0] == file["encodingFormat"], (answer.headers, file)


@of_each("croissant.json", "Content-Type, a strong ETag that is answered 304, a Link to the record and back, Accept chooses the version")
def _(one):
    plain = one.url.split("?")[0]
    answer = fetch(one.url, Origin="https://example.org")
    assert answer.headers["content-type"] == MEDIA_TYPE[one.version], answer.headers
    assert answer.links["describedby"]["url"] == one.link, answer.headers
    assert fetch(one.link).links["describedby"]["url"] == plain, "the record's Link"
    assert answer.headers["access-control-allow-origin"] == "*", answer.headers
    etag = answer.headers["etag"]
    assert re.fullmatch(r'"[!#-~]+"', etag), etag
    again = fetch(one.url, 304, If_None_Match=etag)
    assert again.headers["etag"] == etag and not again.content, again.headers
    asked = fetch(plain, Accept=MEDIA_TYPE[one.version])
    assert asked.text == one.text and asked.headers["etag"] == etag, asked.headers


class Scripts(html.parser.HTMLParser):
    """Scripts keeps the JSON-LD of a page."""

    def __init__(self, page):
        super().__init__()
        self.inside, self.found = False, []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "script" and dict(attrs).get("type") == "application/ld+json"
        if self.inside:
            self.found.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.found[-1] += data


@of_each("the page of a dataset", "has the document, which the library reads from there too", ["1.0"])
def _(one):
    (embedded,) = map(json.loads, Scripts(fetch(one.record["url"]).text).found)
    assert embedded == one.document, embedded
    assert mlc.Dataset(jsonld=embedded).metadata.name == one.record["title"]


def validate(document):
    answer = requests.post(VALIDATE, data=json.dumps(document).encode(), headers={"content-type": "application/ld+json"}, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


@of_each("POST /api/catalogue/croissant/validate", "finds nothing in the document")
def _(one):
    report = validate(one.document)
    assert report["valid"] and not report["errors"] and not report["warnings"], report
    assert report["conformsTo"] == f"http://mlcommons.org/croissant/{one.version}", report


@of_each("POST /api/catalogue/croissant/validate", "finds that a SHA-256 is gone, as the library does")
def _(one):
    broken = json.loads(one.text)
    at = next(i for i, file in enumerate(broken["distribution"]) if "sha256" in file)
    del broken["distribution"][at]["sha256"]
    report = validate(broken)
    assert not report["valid"], report
    (finding,) = report["errors"]
    assert finding["code"] == "E024" and finding["path"].startswith(f"/distribution/{at}"), finding
    assert "sha256" in str(refusal(lambda: mlc.Dataset(jsonld=broken), mlc.ValidationError))


def tool(name, **arguments):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    answer = requests.post(f"{ORIGIN}/api/catalogue/mcp", json=call, headers={"accept": "application/json"}, timeout=60)
    return answer.json()["result"]["structuredContent"]


@of_each("get_croissant over MCP", "comes inside of the result, in parts that are valid and that the library loads without a warning")
def _(one):
    found = {}
    for part in (None, "core", "measurements"):
        got = tool("get_croissant", slug=one.slug, version=one.version, **({"part": part} if part else {}))
        document = found[got["part"]] = got["croissant"]
        assert len(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()) <= 20_000, got["part"]
        with told() as words:
            dataset = mlc.Dataset(jsonld=document)
        assert not words and dataset.metadata.name == one.document["name"], words
        report = validate(document)
        assert report["valid"] and not report["warnings"], report
    assert {key for part in found.values() for key in part} == set(one.document), found.keys()
    promised = [record_set["@id"] for record_set in one.document["recordSet"]]
    assert [record_set["@id"] for record_set in found["core"]["recordSet"]] == promised, found["core"]["recordSet"]


@suite.shows("records(recordings), other layouts", "every row of a dataset from a folder of Common Voice in a zip, of Kaldi, and of Parquet")
def _():
    origin = os.environ["VAAK_NEURAL_URL"]  # has these datasets beside those of the demo
    for slug, paths in LAYOUTS.items():
        link = f"{origin}/api/catalogue/datasets/{slug}"
        document = fetch(link).json()["croissant"]
        for version in MEDIA_TYPE:
            one = Filed(slug, version, document + ("" if version == "1.0" else f"?version={version}"), link)
            assert one.check_table("recordings", one.record["manifest"]) == one.record["recordings"]
            table = csv.DictReader(io.StringIO(fetch(one.record["manifest"]).content.decode("utf-8")))
            found = sorted(row["path"] for row in table)
            assert found == paths, found


@suite.shows("examples", "the one of docs/croissant.md runs")
def _():
    run_example("croissant_load.py", VAAK_URL=ORIGIN)


if __name__ == "__main__":
    with CACHE:
        suite.run()
