package cluster

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestControl holds that messages of several kinds arrive as they were sent, in the order in which their
// process has sent them, and only where they were sent to.
func TestControl(t *testing.T) {
	type head struct {
		Small int8
		Large int64
	}
	type message struct {
		to    int
		head  head
		bytes []byte
		words []int64
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "processes")
		sent := make([][]message, n)
		for p := range sent {
			for range rapid.IntRange(0, 5).Draw(t, "messages") {
				m := message{to: rapid.IntRange(Everyone, n-1).Draw(t, "to")}
				m.head = head{rapid.Int8().Draw(t, "small"), rapid.Int64().Draw(t, "large")}
				if rapid.Bool().Draw(t, "of words") {
					m.words = rapid.SliceOfN(rapid.Int64(), 1, 5).Draw(t, "words")
				} else {
					m.bytes = rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
				}
				sent[p] = append(sent[p], m)
			}
		}
		var wg sync.WaitGroup
		for p, g := range Local(n) {
			wg.Go(func() {
				got := make([][]message, n)
				c := NewControl(g)
				ofBytes := Register(c, func(from int, h head, rows []byte) {
					got[from] = append(got[from], message{head: h, bytes: slices.Clone(rows)})
				})
				ofWords := Register(c, func(from int, h head, rows []int64) {
					got[from] = append(got[from], message{head: h, words: slices.Clone(rows)})
				})
				late := Register(c, func(from int, _ struct{}, rows []byte) {
					if len(rows) != 1 || int(rows[0]) != from {
						t.Errorf("process %d got %v of the source of process %d", p, rows, from)
					}
				})
				c.Source(
					func() bool { return false },
					func() { late.Send(Everyone, false, struct{}{}, []byte{byte(p)}) },
				)
				for _, m := range sent[p] {
					if m.words != nil {
						ofWords.Send(m.to, true, m.head, m.words)
					} else {
						ofBytes.Send(m.to, false, m.head, m.bytes)
					}
				}
				c.Exchange()
				c.Exchange() // of what is there no more
				for from := range n {
					i := 0
					for _, m := range sent[from] {
						if from == p || m.to != Everyone && m.to != p {
							continue
						}
						if i == len(got[from]) || got[from][i].head != m.head ||
							!slices.Equal(got[from][i].bytes, m.bytes) || !slices.Equal(got[from][i].words, m.words) {
							t.Errorf("process %d got %+v of process %d, which sent %+v", p, got[from], from, sent[from])
							return
						}
						i++
					}
					if i < len(got[from]) {
						t.Errorf("process %d got %+v of process %d", p, got[from][i:], from)
					}
				}
			})
		}
		wg.Wait()
	})
}
