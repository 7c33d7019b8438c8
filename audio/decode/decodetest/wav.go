package decodetest

import (
	"encoding/binary"
	"math"
	"strings"
)

// Chunk returns a chunk of a WAV file with the byte that fills up an odd size.
func Chunk(id, body string) string {
	return Sized(id, uint32(len(body)), body) + strings.Repeat("\x00", len(body)%2)
}

// Sized returns a chunk that claims a size.
func Sized(id string, size uint32, body string) string {
	return id + string(binary.LittleEndian.AppendUint32(nil, size)) + body
}

// RIFF returns a WAV file of chunks.
func RIFF(chunks ...string) string { return Chunk("RIFF", "WAVE"+strings.Join(chunks, "")) }

// RF64 returns a WAV file of chunks that has its sizes in one of them.
func RF64(data uint64, chunks ...string) string {
	ds64 := binary.LittleEndian.AppendUint64(nil, 999)
	ds64 = binary.LittleEndian.AppendUint64(ds64, data)
	return Sized("RF64", math.MaxUint32, "WAVE"+Chunk("ds64", string(ds64)+strings.Repeat("\x00", 12))+strings.Join(chunks, ""))
}

// PCMFormat returns a fmt chunk.
func PCMFormat(tag, channels, rate, bits int, more ...byte) string {
	align := channels * ((bits + 7) / 8)
	return Chunk("fmt ", FormatBody(tag, channels, rate, rate*align, align, bits)+string(more))
}

func FormatBody(tag, channels, rate, byteRate, align, bits int) string {
	b := binary.LittleEndian.AppendUint16(nil, uint16(tag))
	b = binary.LittleEndian.AppendUint16(b, uint16(channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(byteRate))
	b = binary.LittleEndian.AppendUint16(b, uint16(align))
	return string(binary.LittleEndian.AppendUint16(b, uint16(bits)))
}

// Extensible returns what an Extensible format of a number has more.
func Extensible(valid, tag int) []byte {
	b := []byte{22, 0, byte(valid), byte(valid >> 8), 0, 0, 0, 0, byte(tag), byte(tag >> 8)}
	return append(b, GUIDTail...)
}

// GUIDTail follows the format code in the GUID of an extensible format.
const GUIDTail = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71"
