package snapshot

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// thing is a state.
type thing struct {
	number int64
	fixed  [3]uint16
	list   []record
	there  bool
}

type record struct {
	a uint32
	b bool
}

func (s *thing) state(v *Visitor) {
	Value(v, &s.number)
	Values(v, s.fixed[:])
	List(v, &s.list)
	s.there = v.Flag(s.there)
}

func (s *thing) same(o *thing) bool {
	return s.number == o.number && s.fixed == o.fixed && slices.Equal(s.list, o.list) && s.there == o.there
}

func something() *thing {
	return &thing{number: 7, fixed: [3]uint16{1, 2, 3}, list: []record{{1, true}, {2, false}}, there: true}
}

// A state is what it was after it has been saved, changed and restored, as often as one likes.
func TestSnapshot(t *testing.T) {
	var saved Snapshot
	s := something()
	saved.Save(s.state)
	for range 3 {
		*s = thing{number: 8, list: make([]record, 9)}
		saved.Restore(s.state)
		if !s.same(something()) {
			t.Fatalf("%+v", s)
		}
	}
}

// chunks keeps what is written.
type chunks []chunk

type chunk struct {
	bytes []byte
	last  bool
}

func (c *chunks) flush(b []byte, last bool) error {
	*c = append(*c, chunk{slices.Clone(b), last})
	return nil
}

func (c *chunks) fill() ([]byte, bool, error) {
	if len(*c) == 0 {
		return nil, false, nil
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return b.bytes, b.last, nil
}

// Long arrays go through a file in several chunks.
func TestFile(t *testing.T) {
	long := make([]uint64, chunkSize/3)
	for i := range long {
		long[i] = uint64(i * i)
	}
	got := make([]uint64, len(long))
	var c chunks
	if err := Write(c.flush, func(v *Visitor) { Values(v, long) }); err != nil || len(c) < 3 {
		t.Fatal(len(c), err)
	}
	if err := Read(c.fill, func(v *Visitor) { Values(v, got) }); err != nil || !slices.Equal(got, long) {
		t.Fatal(err)
	}
}

// Sections of random lengths can be written by others, and left out when they are read. One that is
// read otherwise than it was written is refused.
func TestSections(t *testing.T) {
	for seed := range uint64(200) {
		d := rand.New(rand.NewPCG(seed, 1))
		parts := make([][]uint64, 1+d.IntN(5))
		var c, whole chunks
		err := Write(c.flush, func(v *Visitor) {
			for i := range parts {
				parts[i] = make([]uint64, d.IntN(3)*d.IntN(chunkSize/4))
				for k := range parts[i] {
					parts[i][k] = d.Uint64()
				}
				Section(v, func(v *Visitor) { Values(v, parts[i]) })
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		tail := d.Uint64()
		err = Write(whole.flush, func(v *Visitor) {
			for _, x := range c {
				Insert(v, x.bytes, x.last)
			}
			Value(v, &tail)
		})
		if err != nil {
			t.Fatal(err)
		}
		wrong := -1
		if d.IntN(3) == 0 {
			wrong = d.IntN(len(parts))
		}
		after := uint64(0)
		err = Read(whole.fill, func(v *Visitor) {
			for i, want := range parts {
				if i != wrong && d.IntN(2) == 0 {
					Skip(v)
					continue
				}
				got := make([]uint64, len(want))
				Section(v, func(v *Visitor) {
					if Values(v, got); i == wrong {
						Value(v, &after)
					}
				})
				if v.Err() == nil && !slices.Equal(got, want) {
					t.Errorf("seed %d: section %d is another one", seed, i)
				}
			}
			Value(v, &after)
		})
		if wrong < 0 && (err != nil || after != tail) || wrong >= 0 && !IsOther(err) {
			t.Fatalf("seed %d: %v, %d beside %d", seed, err, after, tail)
		}
	}
}

// What was saved of another state is refused: another length, another type of the same size, more,
// or less.
func TestOtherStates(t *testing.T) {
	type other struct{ Place, Size uint32 }
	for name, walk := range map[string]func(*Visitor){
		"length": func(v *Visitor) { Values(v, make([]record, 3)) },
		"type":   func(v *Visitor) { Values(v, make([]other, 2)) },
		"more":   func(v *Visitor) { Values(v, make([]record, 2)); Values(v, make([]record, 2)) },
		"less":   func(*Visitor) {},
	} {
		var c chunks
		if err := Write(c.flush, func(v *Visitor) { Values(v, make([]record, 2)) }); err != nil {
			t.Fatal(err)
		}
		if err := Read(c.fill, walk); !IsOther(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The first error of a file is returned, and nothing is visited after it.
func TestFileFails(t *testing.T) {
	full := errors.New("full")
	err := Write(func([]byte, bool) error { return full }, something().state)
	if !errors.Is(err, full) {
		t.Error(err)
	}
	s := something()
	fails := func() ([]byte, bool, error) { return nil, false, full }
	if err := Read(fails, s.state); !errors.Is(err, full) || s.number != 7 {
		t.Error(err, s)
	}
}

// A walk that fails while it saves, at any chunk, changes nothing: lengths and truths are what they were,
// also where a walk stores what it has been told.
func TestFailedSaveChangesNothing(t *testing.T) {
	full := errors.New("full")
	for chunks := range 5 {
		s, long := something(), make([]uint64, chunkSize/3)
		kept := []int{3, 4, 5}
		written := 0
		err := Write(func([]byte, bool) error {
			if written++; written > chunks {
				return full
			}
			return nil
		}, func(v *Visitor) {
			for range 2 {
				Values(v, long)
				s.state(v)
				kept = kept[:v.Length(len(kept))]
			}
		})
		if (err != nil) != (chunks < written) || !s.same(something()) || len(kept) != 3 {
			t.Errorf("after %d of %d chunks: %v, %+v, %d kept", chunks, written, err, s, len(kept))
		}
	}
}

// Types with pointers cannot be saved.
func TestPointersAreRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a pointer was saved")
		}
	}()
	var c chunks
	_ = Write(c.flush, func(v *Visitor) { Value(v, new(struct{ p *int })) })
}
