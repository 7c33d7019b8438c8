//go:build race

package onnx_test

func init() { raced = true }
