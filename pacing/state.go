package pacing

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"fabricast/collective"
	"fabricast/internal/snapshot"
)

// print identifies a pattern across processes: a hash of its hosts and its Start.
type print [sha256.Size]byte

// printOf returns the print of a pattern.
func (p *Pacer) printOf(key pattern) print {
	h := sha256.New()
	for hosts, number := range p.groups {
		if number == key.group {
			_, _ = h.Write(hosts[:])
		}
	}
	_, _ = fmt.Fprintf(h, "%+v", key.Start)
	return print(h.Sum(nil))
}

// counted is a pattern with the summary of its schedule, as stored in a file.
type counted struct {
	Print print
	Paced Paced
}

// said is the summary of a Pacer's calls so far, as stored in a file.
type said struct {
	Patterns []counted
	Unpaced  map[collective.Kind][]string
}

// State saves or restores the summary of calls so far. Restored data is added to the existing
// summary, so that the states of several processes can be restored one after another. Schedules are
// not saved: they are computed again when needed. No rank may be running. A nil Pacer has no state.
func (p *Pacer) State(v *snapshot.Visitor) {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var text []byte
	if !v.Restores() {
		text = p.said()
	}
	snapshot.List(v, &text)
	if !v.Restores() || v.Err() != nil {
		return
	}
	var of said
	if err := json.Unmarshal(text, &of); err != nil {
		v.Fail(err)
		return
	}
	for _, c := range of.Patterns {
		p.count(c.Print, &c.Paced)
	}
	for kind, list := range of.Unpaced {
		for _, why := range list {
			p.leave(kind, why)
		}
	}
}

// said returns the Pacer's summary of calls as JSON.
func (p *Pacer) said() []byte {
	own := said{Unpaced: map[collective.Kind][]string{}}
	for c, one := range p.counted {
		own.Patterns = append(own.Patterns, counted{c, *one})
	}
	slices.SortFunc(own.Patterns, func(a, b counted) int { return slices.Compare(a.Print[:], b.Print[:]) })
	for kind, t := range p.told {
		own.Unpaced[kind] = t.Unpaced
	}
	text, err := json.Marshal(own)
	if err != nil {
		panic(err) // cannot happen with plain data
	}
	return text
}

// count adds the summary of a pattern, unless it has already been counted.
func (p *Pacer) count(c print, one *Paced) {
	if _, counted := p.counted[c]; counted || p.told[one.Kind] == nil {
		return
	}
	p.counted[c] = one
	p.told[one.Kind].merge(one)
}
