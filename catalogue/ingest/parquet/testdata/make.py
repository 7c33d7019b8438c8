"""Writes the tables of this folder with Apache Arrow (pyarrow 25.0.0), as the library datasets of
Hugging Face and pandas write theirs. The arguments are the folder and three FLAC files."""
import sys

import pyarrow as pa
import pyarrow.parquet as pq

folder, *files = sys.argv[1:]
audio = [{"bytes": open(f, "rb").read(), "path": f"clip_{i}.flac"} for i, f in enumerate(files)]
text = ["आज मौसम बहुत अच्छा है", "मुझे अपने खाते का शेष जानना है", None]
fields = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
table = pa.table(
    {
        "audio": pa.array(audio, fields),
        "sentence": pa.array(text, pa.string()),
        "speaker_id": pa.array([7, 7, 9], pa.int64()),
        "gender": pa.array(["female", "female", "male"]),
        "locale": pa.array(["hi", "hi", "hi"]),
        "ratings": pa.array([[1, 2], [], [3]], pa.list_(pa.float32())),
    }
)
pq.write_table(table, f"{folder}/train-00000-of-00001.parquet", compression="snappy", row_group_size=2)
pq.write_table(table, f"{folder}/zstd-v2.parquet", compression="zstd", data_page_version="2.0", use_dictionary=False)
pq.write_table(table, f"{folder}/gzip.parquet", compression="gzip", use_dictionary=["sentence"])
pq.write_table(table.drop_columns(["audio", "ratings"]), f"{folder}/plain.parquet", compression="none", use_dictionary=False)
pq.write_table(table.drop_columns(["audio", "ratings"]), f"{folder}/delta.parquet", compression="none", use_dictionary=False, column_encoding={"sentence": "DELTA_LENGTH_BYTE_ARRAY"})
pq.write_table(
    pa.table({"file_name": ["a.flac", "b.flac"], "text": text[:2]}), f"{folder}/metadata.parquet", compression="snappy"
)
pq.write_table(
    pa.table({"audio": pa.array([{"bytes": None, "path": "gone.flac"}], fields)}), f"{folder}/no-bytes.parquet", compression="none"
)
