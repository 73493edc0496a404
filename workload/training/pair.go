package training

// lanes is the number of passes that a GPU carries out together.
const lanes = 2

// merged returns two passes that proceed together on a GPU: each computes while the other one
// communicates. Computations take turns between collectives (DeepSeek-AI, DeepSeek-V3 Technical
// Report, arXiv 2412.19437, figure 4).
func merged(passes [lanes]body) (b body) {
	var next [lanes]int
	var begun [lanes]*op
	finished := func(lane int) {
		if o := begun[lane]; o != nil {
			b = append(b, op{action: finish, dimension: o.dimension, lane: uint8(lane)})
			begun[lane] = nil
		}
	}
	for next[0] < len(passes[0]) || next[1] < len(passes[1]) {
		for lane, pass := range passes {
			finished(lane)
			for next[lane] < len(pass) && begun[lane] == nil {
				o := &pass[next[lane]]
				next[lane]++
				switch o.action {
				case communicate:
					started := *o
					started.action, started.lane = begin, uint8(lane)
					b = append(b, started)
					begun[lane] = o
				case compute:
					if o.placed {
						b = append(b, *o)
					} else {
						b.compute(o.n)
					}
				default:
					b = append(b, *o)
				}
			}
		}
	}
	for lane := range lanes {
		finished(lane)
	}
	return b
}
