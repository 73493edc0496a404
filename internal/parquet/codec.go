package parquet

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxPage is the largest size of a page in bytes, and maxValues the largest number of its values.
const (
	maxPage   = 256 << 20
	maxValues = 1 << 24
)

// encoder compresses at the fastest level, because compression takes time in every run and slower
// levels save little more.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(
		nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(512<<10),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false),
	)
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})

func compress(b []byte) []byte { return encoder().EncodeAll(b, nil) }

// decompress decompresses a page of size bytes.
func decompress(codec int32, b []byte, size int) ([]byte, error) {
	switch codec {
	case codecNone:
		return b, nil
	case codecZstd:
		out, err := decoder().DecodeAll(b, make([]byte, 0, min(size, 1<<20)))
		if err == nil && len(out) != size {
			err = errBroken
		}
		return out, err
	}
	return nil, fmt.Errorf("it is compressed by codec %d, expected Zstandard (%d)", codec, codecZstd)
}
