package ethernet

// Flow is a flow of a test.
type Flow struct {
	Src, Dst    int32
	Size, Start int64
	Class       uint8
}

// TestFlow is flow, for tests outside of the package.
type TestFlow = flow

// What tests outside of the package use, because they import what imports it.
var (
	DrawSpec  = drawSpec
	DrawFlows = drawFlows
	Simulate  = simulate
	BinsOf    = bin
	HopsOf    = hopsOf
)

// Exported returns a flow for tests outside of the package.
func (f flow) Exported() Flow { return Flow{f.src, f.dst, f.size, f.start, f.class} }

// Grow makes a flow several times as large.
func (f *flow) Grow(times int64) { f.size *= times }

// Waits returns how long what bins have has waited for pauses, and for others (ps), and the bytes held * ps.
func (s *binned) Waits() (paused, busy, held int64) {
	return int64(s.waits[0]), int64(s.waits[1]), s.held
}
