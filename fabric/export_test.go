package fabric

// NewGeneral is New on the general path, which need not be what the Spec asks for.
func NewGeneral(spec Spec, blocks int) (*Network, error) { return build(spec, blocks, true, nil) }
