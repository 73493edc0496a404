package messages

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// State visits the state of the pool (package snapshot).
func (p *Pool) State(v *snapshot.Visitor) {
	snapshot.Value(v, &p.used)
	snapshot.Value(v, &p.free)
	if v.Restores() && p.used >= most {
		v.Fail(errMessages)
		return
	}
	for len(p.messages) <= int(p.used>>chunkBits) {
		p.messages = append(p.messages, new([chunk]fabric.Message))
		p.extras = append(p.extras, nil)
	}
	for i := range int(p.used>>chunkBits) + 1 {
		snapshot.Values(v, p.messages[i][:])
		if !v.Flag(p.extras[i] != nil) {
			p.extras[i] = nil
			continue
		}
		if p.extras[i] == nil {
			p.extras[i] = new([chunk]fabric.Extra)
		}
		snapshot.Values(v, p.extras[i][:])
	}
}
