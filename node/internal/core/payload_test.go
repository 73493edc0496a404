package core

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// take removes contents from the store.
func take(p *payloads, buffer []byte, handle uint32) {
	copy(buffer, p.View(handle).Data)
	p.Drop(handle)
}

// Whatever is put into the store comes out of it, however its buffers are used again.
func TestPayloadsComeOutAsTheyWentIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := payloads{Concurrent: rapid.Bool().Draw(t, "concurrent")}
		model := map[uint32][]byte{}
		var handles []uint32
		for step := range rapid.IntRange(1, 200).Draw(t, "steps") {
			if n := len(handles); n > 0 && rapid.Bool().Draw(t, "out") {
				i := rapid.IntRange(0, n-1).Draw(t, "which")
				handle := handles[i]
				handles = append(handles[:i], handles[i+1:]...)
				got := make([]byte, len(model[handle]))
				take(&p, got, handle)
				if !bytes.Equal(got, model[handle]) {
					t.Fatalf("%d bytes did not come out as they went in", len(got))
				}
				delete(model, handle)
				continue
			}
			size := rapid.OneOf(rapid.IntRange(1, 300), rapid.SampledFrom([]int{4096, 4097, 2 << 20, 2<<20 + 1})).
				Draw(t, "size")
			data := bytes.Repeat([]byte{byte(step)}, size)
			handle := p.Put(rapid.Int32Range(0, 100).Draw(t, "rank"), data, 0)
			if handle == 0 || model[handle] != nil {
				t.Fatalf("handle %d is none, or in use", handle)
			}
			model[handle] = data
			handles = append(handles, handle)
		}
	})
}

func TestPayloadsAllocateNothingInSteadyState(t *testing.T) {
	var p payloads
	data, buffer := make([]byte, 1000), make([]byte, 1000)
	once := func() { take(&p, buffer, p.Put(0, data, 0)) }
	once()
	if n := testing.AllocsPerRun(100, once); n > 0 {
		t.Fatalf("%v allocations a message, want none", n)
	}
}
