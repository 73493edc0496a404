package fabric

// NewGeneral is New on the general path, which need not be what the Spec asks for.
func NewGeneral(spec Spec, blocks int) (*Network, error) { return build(spec, blocks, true, nil) }

// Queued returns how many messages, at the most, have waited at the same time in short records.
func (n *Network) Queued() (most int) {
	for _, b := range n.blocks {
		most += int(b.messages.queued.used)
	}
	return most
}
