package mpi

import "fabricast/collective"

// A rank of a Loop that waits in the middle of the rounds of a collective continues there, without
// a replay of what precedes the rounds in the iteration. A block remembers the rounds in which its
// ranks wait; as most ranks call the same collectives, a few places are enough. What a rank has
// remembered is only a shortcut: if it has been overwritten, the iteration is replayed.

// placesOfRounds is the number of rounds that a block remembers.
const placesOfRounds = 8

// rounds are those of a collective in an iteration of some ranks of a block.
type rounds struct {
	collective.Rounds
	begin uint32 // number of operations that precede them in the iteration
}

// remembered holds the rounds in which ranks of a block wait, by their number modulo placesOfRounds. Numbers start
// at 1, and are not used again.
type remembered struct {
	places [placesOfRounds]rounds
	last   uint32
}

// number returns the number of rounds, and remembers them if it has not yet.
func (m *remembered) number(r rounds) uint32 {
	for n := m.last; n > 0 && m.last-n < placesOfRounds; n-- {
		if m.places[n%placesOfRounds] == r {
			return n
		}
	}
	m.last++
	m.places[m.last%placesOfRounds] = r
	return m.last
}

// of returns the rounds with the number if the next operation of a rank that has emitted `done` operations is one
// of them, but neither the first nor the last; nil otherwise. The last one ends the rounds, and maybe the iteration.
func (m *remembered) of(number, done uint32) *rounds {
	if number == 0 || m.last-number >= placesOfRounds {
		return nil
	}
	r := &m.places[number%placesOfRounds]
	if done <= r.begin || uint64(done-r.begin)+1 >= uint64(r.N) {
		return nil
	}
	return r
}

// Repeat implements collective.Repeater.
func (p *private) Repeat(r collective.Rounds) {
	c, begin := p.rank.cursor, 0
	if c != nil {
		begin = c.at
	}
	for k := p.Round(0, r.N); k < r.N; k = p.Round(k+1, r.N) {
		r.By.Round(p, r, k)
	}
	if c != nil && c.remembered != nil && c.waits && c.done > begin && (*Comm)(p) == &p.rank.Comm {
		c.rounds = c.remembered.number(rounds{r, uint32(begin)})
	}
}

// goOn continues the rank in rounds in which it has waited. It reports whether the rank waits again.
func (p *replay) goOn(r *rounds) bool {
	b := p.replayer
	c, last := &b.cursor, int(r.begin)+r.N-1
	*c = cursor{done: int(p.done), at: int(p.done)}
	for c.done < last && !c.waits {
		r.By.Round((*private)(&b.rank.Comm), r.Rounds, c.done-int(r.begin))
	}
	p.done = uint32(c.done)
	return c.waits
}
