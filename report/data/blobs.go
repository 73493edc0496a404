package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"iter"
	"maps"
	"sync"

	"fabricast/internal/panics"
)

// Blobs holds the arrays of a report by name, compressed with gzip. It is safe for concurrent use,
// except for adding arrays.
type Blobs struct {
	names []string
	data  map[string][]byte
	wait  sync.WaitGroup
	mutex sync.Mutex
}

func newBlobs() *Blobs { return &Blobs{data: map[string][]byte{}} }

// put compresses an array of fixed-size numbers (little-endian) in the background. The caller must
// not change the array afterwards.
func (b *Blobs) put(name string, array any) {
	b.names = append(b.names, name)
	b.wait.Go(panics.Guarded("arrays of a report", func() {
		packed := pack(array)
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.data[name] = packed
	}))
}

// include adds the blobs of another collection.
func (b *Blobs) include(other *Blobs) {
	other.wait.Wait()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.names = append(b.names, other.names...)
	maps.Copy(b.data, other.data)
}

// pack compresses an array of fixed-size numbers.
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

// Get returns a blob by its name; false if there is none.
func (b *Blobs) Get(name string) ([]byte, bool) {
	b.wait.Wait()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	data, ok := b.data[name]
	return data, ok
}

// All yields the blobs in order of creation.
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
