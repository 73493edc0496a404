package atlas

import (
	"errors"
	"fmt"
	"io"

	"fabricast/internal/humanize"
	"fabricast/internal/picture"
	"fabricast/topology"
)

// Grades of what a future loses, which are classes of links in the picture; topology.LinkHost is between
// them.
const (
	gradeNone   = 0 // up to leastLoss
	gradeUnseen = 2 // not simulated
	gradeLow    = 3
	gradeWaits  = 7 // no end
)

// grades are the upper limits of the loss of grades from gradeLow to gradeWaits - 1, as shares of the run.
var grades = []float64{0.01, 0.05, 0.2, 1e300}

// leastLoss is the share of the run below which a loss counts as none.
const leastLoss = 0.001

// gradeColors are the colours of grades, the darker the more is lost.
var gradeColors = []string{"#9fb4c7", "#5b6b7b", "#e3e3e3", "#fdae61", "#f46d43", "#d73027", "#7f0000", "#000000"}

// gradeTexts are the entries of the legend.
var gradeTexts = []string{
	"loses up to 0.1 %", "hosts", "not simulated", "up to 1 %", "up to 5 %", "up to 20 %", "more", "waits for ever or deadlock",
}

// grade returns the grade of a future.
func (f *Future) grade() int {
	switch f.State {
	case StateWaits, StateDeadlock:
		return gradeWaits
	case StateFailed:
		return gradeUnseen
	}
	if f.Share <= leastLoss {
		return gradeNone
	}
	at := 0
	for f.Share > grades[at] {
		at++
	}
	return gradeLow + at
}

// SVG draws the network with its links and switches in the colours of what the run loses when each fails.
// Pairs of links are not drawn. It returns an error if the report was not made by Make.
func (r *Report) SVG(w io.Writer) error {
	if r.Network == nil {
		return errors.New("a report that was read has no network to draw")
	}
	g := r.Network.Graph()
	links, routers := map[[2]int32]int{}, make([]int, g.Routers)
	for i := range routers {
		routers[i] = -1
	}
	for i := range r.Futures {
		f := &r.Futures[i]
		var a, b int32
		switch f.Kind {
		case KindLink:
			if _, err := fmt.Sscanf(f.Fails[0], "link %d-%d", &a, &b); err != nil {
				return fmt.Errorf("%s: %w", f.Fails[0], err)
			}
			links[[2]int32{a, b}] = f.grade()
		case KindSwitch:
			if _, err := fmt.Sscanf(f.Fails[0], "switch %d", &a); err != nil {
				return fmt.Errorf("%s: %w", f.Fails[0], err)
			}
			routers[a] = f.grade()
		}
	}
	lasts := "for good"
	if r.Repair > 0 {
		lasts = "for " + humanize.Time(r.Repair)
	}
	return picture.Draw(w, graded(r.Network, links), picture.Legend{
		Title:   fmt.Sprintf("What %s lose when a link or switch fails at %s %s", humanize.Time(r.Undisturbed), humanize.Time(r.At), lasts),
		Classes: r.legend(g, links, routers), Colors: gradeColors, Routers: routers,
	})
}

// legend returns the texts of the grades that the picture has.
func (r *Report) legend(g *topology.Graph, links map[[2]int32]int, routers []int) []string {
	texts := make([]string, len(gradeTexts))
	use := func(grade int) { texts[grade] = gradeTexts[grade] }
	for _, l := range linksOf(g) {
		if grade, seen := links[l]; seen {
			use(grade)
		} else {
			use(gradeUnseen)
		}
	}
	for _, grade := range routers {
		if grade >= 0 {
			use(grade)
		}
	}
	return texts
}

// graded returns a network whose classes of links are grades.
func graded(t topology.Topology, links map[[2]int32]int) topology.Topology {
	g := *t.Graph()
	g.Ports = append([]topology.Port(nil), g.Ports...)
	for i := range g.Ports {
		p := &g.Ports[i]
		if p.Link = topology.LinkHost; p.Peer == topology.Unconnected {
			continue
		}
		a, b := p.Router, int32(g.PeerRouter(i))
		grade, seen := links[[2]int32{min(a, b), max(a, b)}]
		if p.Link = uint16(grade); !seen {
			p.Link = gradeUnseen
		}
	}
	shown := recoloured{t, &g}
	if s, ok := t.(topology.Shaped); ok {
		return &shaped{shown, s.Shape()}
	}
	return &shown
}

// recoloured is a network with other classes of links.
type recoloured struct {
	topology.Topology
	graph *topology.Graph
}

// Graph implements topology.Topology.
func (t *recoloured) Graph() *topology.Graph { return t.graph }

// shaped is a recoloured network that has a shape.
type shaped struct {
	recoloured
	shape topology.Shape
}

// Shape implements topology.Shaped.
func (t *shaped) Shape() topology.Shape { return t.shape }
