package timewarp

import "math"

// What saving and repeating cost is counted in router activations.
const (
	bytesPerActivation  = 400 // copied in the time of one
	activationsOfWindow = 20  // a window costs as much besides the activations in it
	savingShare         = 8   // saving takes at most one in so many
)

// costs decides how often the state of a part is saved. Saving more often costs copies; less often
// makes it longer to repeat what lies between a saved state and the window that is undone. With a
// copy that costs c and a rollback every r of work, both together cost least if w of work lies
// between two copies, w*w = 2*c*r.
type costs struct {
	oldest   executed // what was done before the oldest saved state
	saved    float64  // cost, since the begin of the simulation, of what leads to the newest saved state
	spent    float64  // cost of all executed windows, also of those that were undone
	undone   float64  // spent at the last rollback
	wasted   float64  // cost of windows that were undone
	between  float64  // spent from rollback to rollback, a mean that moves; 0 before the first
	interval float64  // cost of what lies between two saved states
}

// save notes that a state of so many bytes has been saved, to which windows of a cost lead.
func (c *costs) save(size int, cost float64) {
	c.saved = cost
	copying := float64(size) / bytesPerActivation
	c.interval = copying * savingShare
	if c.between > 0 {
		c.interval = min(c.interval, math.Sqrt(2*copying*c.between))
	}
}

// undo notes a rollback of windows that had so much cost.
func (c *costs) undo(wasted float64) {
	const weight = 8
	c.wasted += wasted
	r := c.spent - c.undone + activationsOfWindow
	if c.between == 0 {
		c.between = r
	}
	c.between += (r - c.between) / weight
	c.undone = c.spent
}

// due reports whether the state has to be saved to which windows of a cost lead.
func (c *costs) due(cost float64) bool { return cost-c.saved >= c.interval }
