package core

import (
	"bytes"
	"sync/atomic"
	"testing"
)

// TestLoans checks what the receiver of lent contents finds, and how many bytes are copied, when the
// sender changes its memory after the receiver has taken them, and after it has taken them back.
func TestLoans(t *testing.T) {
	var copied atomic.Int64
	p := &payloads{Concurrent: true, Copied: &copied}
	take := func(handle uint32) (found []byte) {
		mark := p.Move(handle, func(c *Contents) { found = bytes.Clone(c.Data) })
		if mark != 7 {
			t.Errorf("found mark %d, expected 7", mark)
		}
		return found
	}
	for _, n := range []int{1, 64, 65, 4096, 3 << 20} {
		old, memory := bytes.Repeat([]byte{1}, n), bytes.Repeat([]byte{1}, n)
		copied.Store(0)
		handle, loan := p.Lend(3, memory, 7)
		if !p.Lent(loan) {
			t.Errorf("%d bytes: not lent after Lend", n)
		}
		if found := take(handle); !bytes.Equal(found, old) {
			t.Errorf("%d bytes: the receiver found other contents", n)
		}
		if p.Lent(loan) || copied.Load() != 0 {
			t.Errorf("%d bytes: still lent, or %d bytes copied into the store", n, copied.Load())
		}
		handle, second := p.Lend(3, memory, 7)
		p.Reclaim(loan) // ended earlier: must not touch the second loan
		if !p.Lent(second) {
			t.Errorf("%d bytes: the end of a former loan has ended the next one", n)
		}
		p.Reclaim(second)
		clear(memory)
		if found := take(handle); !bytes.Equal(found, old) || copied.Load() != int64(n) {
			t.Errorf("%d bytes: found other contents after Reclaim, or %d bytes copied", n, copied.Load())
		}
		handle = p.Put(3, old, 7) // may use the place of the loan
		if found := take(handle); !bytes.Equal(found, old) {
			t.Errorf("%d bytes: found other contents after Put", n)
		}
	}
}
