package picture

import (
	"fmt"
	"math"
)

// placeCircle places routers on a circle, with straight links.
func placeCircle(routers, most int) *scene {
	cells := min(routers, most)
	s := &scene{cell: merged(routers, cells), spacing: 1}
	radius := max(0.5, float64(cells)/(2*math.Pi))
	for c := range cells {
		s.at = append(s.at, onCircle(radius, float64(c)/float64(cells)))
	}
	return s
}

// placeGroups places groups of routers on a circle. The routers of a group are placed around its
// center, or by the function shape. Links between groups are bent toward the middle.
func placeGroups(groups, size, most int, shape func(i int) point) *scene {
	if groups*size > most || size == 1 {
		s := placeCircle(groups*size, min(groups, most))
		s.control = s.inward(func(int) int { return -1 })
		return s
	}
	own := max(0.5, float64(size)/(2*math.Pi)*1.1)
	if shape == nil {
		shape = func(i int) point { return onCircle(own, float64(i)/float64(size)) }
	} else {
		own = 0
		for i := range size {
			own = max(own, math.Hypot(shape(i).x, shape(i).y))
		}
	}
	radius := 0.0
	if groups > 1 {
		radius = max(2.2*own, (2*own+2.2)*float64(groups)/(2*math.Pi))
	}
	s := &scene{cell: identity(groups * size), spacing: 1, framed: "group"}
	for g := range groups {
		turns := float64(g) / float64(groups)
		center := onCircle(radius, turns)
		s.frames = append(s.frames, frame{center, own + 0.6})
		if out := onCircle(1, turns); groups > 1 {
			s.labels = append(
				s.labels,
				label{center.plus(out.times(own + 0.7)), out, fmt.Sprintf("group %d", g)},
			)
		}
		sin, cos := math.Sincos(2 * math.Pi * turns)
		for i := range size {
			p := shape(i)
			s.at = append(s.at, center.plus(point{p.x*cos - p.y*sin, p.x*sin + p.y*cos}))
		}
	}
	s.control = s.inward(func(c int) int { return c / size })
	return s
}

// inward returns a control function that bends links between different groups toward the middle.
// group returns the group of a cell; all links of group -1 are bent.
func (s *scene) inward(group func(cell int) int) func(a, b int) (point, bool) {
	return func(a, b int) (point, bool) {
		if g := group(a); g >= 0 && g == group(b) {
			return point{}, false
		}
		return between(s.at[a], s.at[b]).times(0.45), true
	}
}

// twoRows returns a function that places the leaves of a group outside and its spines inside.
func twoRows(leaves, spines int) func(i int) point {
	return func(i int) point {
		if i < leaves {
			return point{float64(i) - float64(leaves-1)/2, -0.9}
		}
		return point{float64(i-leaves) - float64(spines-1)/2, 0.9}
	}
}
