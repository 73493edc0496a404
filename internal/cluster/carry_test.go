package cluster

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestCarry holds that the first process reads what the others write, and that an error of one of them
// keeps nobody waiting.
func TestCarry(t *testing.T) {
	broken := errors.New("broken on purpose")
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "processes")
		fails := rapid.IntRange(-1, 3).Draw(t, "fails") // a process, or none
		sizes := []int{0, 1, carriedAtOnce, 2*carriedAtOnce + 3}
		own, got, errs := make([][]byte, n), make([][]byte, n), make([]error, n)
		for p := range own {
			own[p] = bytes.Repeat([]byte{byte(1 + p)}, rapid.SampledFrom(sizes).Draw(t, "bytes"))
		}
		var wg sync.WaitGroup
		for p, g := range Local(n) {
			wg.Go(func() {
				errs[p] = Carry(g, func(w io.Writer) error {
					_, err := w.Write(own[p])
					if p == fails {
						return broken
					}
					return err
				}, func(from int, r *bufio.Reader) (err error) {
					if fails == 0 {
						return broken
					}
					got[from], err = io.ReadAll(r)
					return err
				})
			})
		}
		wg.Wait()
		for p := range n {
			if want := p == fails && n > 1; (errs[p] != nil) != want {
				t.Errorf("process %d ends with %v", p, errs[p])
			}
			if p > 0 && fails != 0 && p != fails && !bytes.Equal(got[p], own[p]) {
				t.Errorf("of process %d came %d bytes, expected %d", p, len(got[p]), len(own[p]))
			}
		}
	})
}
