package picture

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"fabricast/internal/figures"
	"fabricast/topology"
)

// Legend describes what is drawn.
type Legend struct {
	Title   string
	Classes []string // a line for each class of links of the graph; empty: none is drawn
}

// colors of link classes; hosts' links are gray.
var colors = []string{"#0072B2", "#999999", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31"}

// Draw writes a network as SVG.
func Draw(w io.Writer, t topology.Topology, l Legend) error {
	d := &drawing{t: t, g: t.Graph(), s: place(t), legend: l}
	d.count()
	d.fit()
	d.head()
	d.frames()
	d.links()
	d.hosts()
	d.routers()
	d.text()
	d.b.WriteString("</svg>\n")
	_, err := io.WriteString(w, d.b.String())
	return err
}

type drawing struct {
	t       topology.Topology
	g       *topology.Graph
	s       *scene
	legend  Legend
	b       strings.Builder
	members []member // of each cell
	scale   float64  // pixels of a unit
	low     point
	width   float64
	height  float64
}

// member is what a cell stands for.
type member struct{ routers, hosts, first int }

// Sizes in pixels.
const (
	margin   = 40.0
	headroom = 44.0
	line     = 18.0
	across   = 1100.0
	distinct = 6.0 // between cells that can be told apart
)

// count finds what each cell stands for.
func (d *drawing) count() {
	d.members = make([]member, len(d.s.at))
	for r, c := range d.s.cell {
		m := &d.members[c]
		if m.routers == 0 {
			m.first = r
		}
		m.routers++
	}
	for h := range d.g.Hosts {
		d.members[d.s.cell[d.g.HostRouter(h)]].hosts++
	}
}

// fit chooses the scale.
func (d *drawing) fit() {
	low, high := d.s.bounds()
	low, high = low.plus(point{-0.8, -0.8}), high.plus(point{0.8, 0.8})
	if d.s.below {
		high.y += 0.6
	}
	w, h := high.x-low.x, high.y-low.y
	d.scale = min(across/max(w, h), 64)
	d.low = low
	d.width = max(w*d.scale, 360) + 2*margin
	d.height = h*d.scale + headroom + margin + line*float64(d.classes()+1)
	d.low.x -= (d.width - 2*margin - w*d.scale) / 2 / d.scale
}

func (d *drawing) classes() int { return len(d.order()) }

// pixel is where a point of the scene is drawn.
func (d *drawing) pixel(p point) point {
	return point{margin + (p.x-d.low.x)*d.scale, headroom + (p.y-d.low.y)*d.scale}
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

func (d *drawing) head() {
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="Helvetica, Arial, sans-serif">`+"\n",
		d.width, d.height, d.width, d.height)
	d.printf(`<rect width="100%%" height="100%%" fill="#ffffff"/>` + "\n")
	d.printf(`<text x="%.0f" y="26" font-size="15" font-weight="bold" fill="#222222">%s</text>`+"\n", margin, html.EscapeString(d.legend.Title))
}

func (d *drawing) frames() {
	for _, f := range d.s.frames {
		p := d.pixel(f.center)
		d.printf(`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="#f1f4f8" stroke="#d5dde6"/>`+"\n", p.x, p.y, f.radius*d.scale)
	}
}

// bundle is the links of a class between two cells.
type bundle struct {
	a, b  int32
	class uint16
	links int
}

// maxBundles is the most lines drawn.
const maxBundles = 12000

// bundles lists the links between cells, at most maxBundles evenly chosen.
func (d *drawing) bundles() []bundle {
	var list []bundle
	for p := range d.g.Ports {
		port := &d.g.Ports[p]
		if port.Peer <= int32(p) {
			continue
		}
		a, b := d.s.cell[port.Router], d.s.cell[d.g.PeerRouter(p)]
		if a != b {
			list = append(list, bundle{min(a, b), max(a, b), port.Link, 1})
		}
	}
	slices.SortStableFunc(list, func(x, y bundle) int {
		return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	merged := list[:0]
	for _, l := range list {
		if last := len(merged) - 1; last >= 0 && merged[last].a == l.a && merged[last].b == l.b && merged[last].class == l.class {
			merged[last].links++
			continue
		}
		merged = append(merged, l)
	}
	every := (len(merged) + maxBundles - 1) / maxBundles
	if every < 2 {
		return merged
	}
	var few []bundle
	for i := 0; i < len(merged); i += every {
		few = append(few, merged[i])
	}
	return few
}

func (d *drawing) links() {
	list := d.bundles()
	many := math.Sqrt(float64(len(list) + 1))
	opacity := min(0.75, max(0.12, 14/many))
	width := min(1.6, max(0.5, d.scale/30), max(0.5, 60/many))
	usual := max(1, meanLinks(list)/4)
	class := -1
	for _, l := range list {
		if int(l.class) != class {
			if class >= 0 {
				d.b.WriteString("</g>\n")
			}
			class = int(l.class)
			d.printf(`<g fill="none" stroke="%s" stroke-opacity="%.2f">`+"\n", colors[class%len(colors)], opacity)
		}
		thick := width * max(1, min(4, math.Sqrt(float64(l.links)/usual)))
		d.printf(`<path d="%s" stroke-width="%.1f"/>`+"\n", d.path(int(l.a), int(l.b)), thick)
	}
	if class >= 0 {
		d.b.WriteString("</g>\n")
	}
}

// meanLinks is how many links a line stands for on the average.
func meanLinks(list []bundle) float64 {
	links := 0
	for _, l := range list {
		links += l.links
	}
	return float64(links) / float64(max(len(list), 1))
}

// path is a straight line or a curve.
func (d *drawing) path(a, b int) string {
	p, q := d.pixel(d.s.at[a]), d.pixel(d.s.at[b])
	if d.s.control != nil {
		if c, ok := d.s.control(a, b); ok {
			c = d.pixel(c)
			return fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", p.x, p.y, c.x, c.y, q.x, q.y)
		}
	}
	return fmt.Sprintf("M%.1f %.1fL%.1f %.1f", p.x, p.y, q.x, q.y)
}

// Hosts are drawn one by one up to these numbers.
const (
	maxHostsDrawn  = 2000
	maxHostsOfCell = 24
)

func (d *drawing) hosts() {
	if d.g.Hosts > maxHostsDrawn || d.scale < 14 {
		return
	}
	d.b.WriteString(`<g fill="#5b6b7b">` + "\n")
	for c, m := range d.members {
		if m.hosts > maxHostsOfCell || m.routers > 1 {
			continue
		}
		for i := range m.hosts {
			p := d.pixel(d.s.at[c].plus(d.host(i, m.hosts)))
			d.printf(`<circle cx="%.1f" cy="%.1f" r="%.1f"/>`+"\n", p.x, p.y, max(1.2, d.scale*0.045))
		}
	}
	d.b.WriteString("</g>\n")
}

// host is where the ith of a router's hosts stands.
func (d *drawing) host(i, of int) point {
	if d.s.below {
		return point{(float64(i)+0.5)/float64(of)*0.9 - 0.45, 0.48}
	}
	return onCircle(0.38, float64(i)/float64(of)+0.125)
}

func (d *drawing) routers() {
	size := min(11, max(1.8, d.scale*0.2))
	for c, m := range d.members {
		p := d.pixel(d.s.at[c])
		fill := "#22303c"
		if m.hosts == 0 {
			fill = "#ffffff"
		}
		d.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f" fill="%s" stroke="#22303c"><title>%s</title></rect>`+"\n",
			p.x-size, p.y-size, 2*size, 2*size, size/3, fill, html.EscapeString(d.name(m)))
	}
}

// name tells what a cell stands for.
func (d *drawing) name(m member) string {
	if m.routers == 1 {
		return fmt.Sprintf("%s, router %d, %s", d.t.RouterName(m.first), m.first, figures.Plural(m.hosts, "host"))
	}
	return fmt.Sprintf("%s from %s on, %s", figures.Plural(m.routers, "router"), d.t.RouterName(m.first), figures.Plural(m.hosts, "host"))
}

// text is the legend.
func (d *drawing) text() {
	y := d.height - line*float64(d.classes()+1)
	for _, i := range d.order() {
		text := d.legend.Classes[i]
		d.printf(`<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="%s" stroke-width="3"/>`+"\n", margin, y, margin+26, y, colors[i%len(colors)])
		d.printf(`<text x="%.0f" y="%.0f" font-size="12" fill="#333333">%s</text>`+"\n", margin+34, y+4, html.EscapeString(text))
		y += line
	}
	note := "Dark squares are routers with hosts (dots), light ones without."
	if len(d.members) < d.g.Routers {
		note = fmt.Sprintf("Each square stands for up to %s of %s.", figures.Count(d.most()), figures.Plural(d.g.Routers, "router"))
	}
	d.printf(`<text x="%.0f" y="%.0f" font-size="11" fill="#777777">%s</text>`+"\n", margin, y+4, note)
}

// order lists the classes of the legend, that of the hosts last.
func (d *drawing) order() []int {
	var list []int
	for i, text := range d.legend.Classes {
		if text != "" && i != int(topology.LinkHost) {
			list = append(list, i)
		}
	}
	if host := int(topology.LinkHost); host < len(d.legend.Classes) && d.legend.Classes[host] != "" {
		list = append(list, host)
	}
	return list
}

func (d *drawing) most() int {
	most := 0
	for _, m := range d.members {
		most = max(most, m.routers)
	}
	return most
}
