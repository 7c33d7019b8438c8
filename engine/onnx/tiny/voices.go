package tiny

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// RawVoice returns voice k as transformers.js has it, in a file NAME.bin: the numbers of
// [KokoroStyle] and nothing else.
func RawVoice(k int) []byte { return raw(KokoroStyle(k)) }

// SherpaVoices returns n voices one after another, as sherpa-onnx has them in voices.bin.
func SherpaVoices(n int) []byte {
	var b []byte
	for k := range n {
		b = append(b, RawVoice(k)...)
	}
	return b
}

// NPZVoices returns n voices under the names of [KokoroVoices], as kokoro-onnx has them: an
// archive of NumPy. NumPy's savez stores the arrays as they are; deflated ones come from
// savez_compressed.
func NPZVoices(n int, deflated bool) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	method := zip.Store
	if deflated {
		method = zip.Deflate
	}
	for k, name := range KokoroVoices(n) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
		if err == nil {
			_, err = w.Write(NPY(KokoroStyle(k), StyleRows, 1, StyleWidth))
		}
		if err != nil {
			panic(err) // into memory
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// NPY returns an array in the format of NumPy, version 1.0.
func NPY(data []float32, dims ...int) []byte {
	shape := ""
	for i, d := range dims {
		if i > 0 {
			shape += " "
		}
		shape += fmt.Sprintf("%d,", d)
	}
	if len(dims) > 1 { // as Python writes tuples
		shape = shape[:len(shape)-1]
	}
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", shape)
	// The data begins at a multiple of 64 bytes: 10 bytes of beginning, the header, blanks, a new line.
	for (10+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	return append(append(b, header...), raw(data)...)
}

func raw(data []float32) []byte {
	b := make([]byte, 0, 4*len(data))
	for _, v := range data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
