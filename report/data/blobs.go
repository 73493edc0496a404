package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"iter"
	"maps"
	"sync"
)

// Blobs are the arrays of a report by name, compressed by gzip.
type Blobs struct {
	names []string
	data  map[string][]byte
	wait  sync.WaitGroup
	mutex sync.Mutex
}

func newBlobs() *Blobs { return &Blobs{data: map[string][]byte{}} }

// put compresses an array of fixed-size numbers in the background, little-endian.
// The array must not be changed afterwards.
func (b *Blobs) put(name string, array any) {
	b.names = append(b.names, name)
	b.wait.Go(func() {
		packed := pack(array)
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.data[name] = packed
	})
}

// include adds those of another collection.
func (b *Blobs) include(other *Blobs) {
	other.wait.Wait()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.names = append(b.names, other.names...)
	maps.Copy(b.data, other.data)
}

// pack compresses an array. Nothing in it can fail: a buffer takes all that is written.
func pack(array any) []byte {
	raw, ok := array.([]uint8)
	if !ok {
		raw, _ = binary.Append(nil, binary.LittleEndian, array)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(raw)
	_ = w.Close()
	return out.Bytes()
}

// Get is a blob by its name.
func (b *Blobs) Get(name string) ([]byte, bool) {
	b.wait.Wait()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	data, ok := b.data[name]
	return data, ok
}

// All yields the blobs in the order in which they were made.
func (b *Blobs) All() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, name := range b.names {
			data, _ := b.Get(name)
			if !yield(name, data) {
				return
			}
		}
	}
}
