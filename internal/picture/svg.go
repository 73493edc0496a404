package picture

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"fabricast/internal/humanize"
	"fabricast/topology"
)

// Legend describes what is drawn.
type Legend struct {
	Title   string
	Classes []string // text for each class of links; "": not in the legend
	// Colors of the classes; nil: the usual ones.
	Colors []string
	// Routers are the classes whose colours fill routers, by router, -1: the usual ones; nil: all are -1.
	// Cells of several routers have those of the first.
	Routers []int
}

// color returns the colour of a class of links.
func (l *Legend) color(class int) string {
	if l.Colors != nil {
		return l.Colors[class]
	}
	return colors[class%len(colors)]
}

// colors holds the colours of link classes; hosts with links of class topology.LinkHost are gray.
var colors = []string{"#0072B2", "#999999", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31"}

// Draw writes a network as SVG.
func Draw(w io.Writer, t topology.Topology, l Legend) error {
	d := &drawing{t: t, g: t.Graph(), s: place(t), legend: l, hostClasses: t.Graph().HostClasses()}
	d.count()
	d.lines = d.bundles()
	d.entries()
	d.fit()
	d.head()
	d.key()
	d.frames()
	d.links()
	d.hosts()
	d.routers()
	d.labels()
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
	scale   float64  // pixels for each unit of the scene
	low     point
	top     float64 // pixels above the scene
	width   float64
	height  float64
	lines   []bundle
	every   int     // one of `every` lines is drawn
	list    []entry // entries of the legend

	hostClasses []uint16 // link classes of NICs
}

// member counts the routers and hosts that a cell stands for. first is its first router.
type member struct{ routers, hosts, first int }

// Sizes in pixels. An image fits in a browser window.
const (
	margin   = 32.0
	headroom = 52.0
	line     = 19.0
	across   = 1100.0
	tall     = 600.0
	least    = 420.0 // minimum width
	distinct = 6.0   // minimum distance between distinguishable cells
	letter   = 6.6   // approximate width of a letter of the legend and of labels
)

// count counts the routers and hosts of each cell.
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

// fit chooses the scale of the drawing.
func (d *drawing) fit() {
	low, high := d.s.bounds()
	low, high = low.plus(point{-0.8, -0.8}), high.plus(point{0.8, 0.8})
	if d.s.below {
		high.y += 0.6
	}
	w, h := high.x-low.x, high.y-low.y
	left, right, above, under := d.room()
	d.scale = min((across-left-right)/w, (tall-above-under)/h, 64)
	d.width = max(w*d.scale+left+right, least, letter*float64(len(d.legend.Title))*1.3) + 2*margin
	d.layKey()
	d.top = headroom + line*float64(d.keyLines()) + above
	d.height = d.top + h*d.scale + under + margin/2
	free := d.width - 2*margin - left - right - w*d.scale
	d.low = low.plus(point{-(left + free/2) / d.scale, 0})
}

// room returns the space, in pixels, that labels need around the scene.
func (d *drawing) room() (left, right, above, under float64) {
	for _, l := range d.s.labels {
		long := letter*float64(len(l.text)) + 6
		switch {
		case l.side.x < -sideways:
			left = max(left, long)
		case l.side.x > sideways:
			right = max(right, long)
		case l.side.y < 0:
			above = line
		default:
			under = line
		}
	}
	return left, right, above, under
}

// sideways is the horizontal component of a label's direction above which the label is placed to
// the side of its position rather than above or below it.
const sideways = 0.3

// pixel converts a point of the scene to pixels.
func (d *drawing) pixel(p point) point {
	return point{margin + (p.x-d.low.x)*d.scale, d.top + (p.y-d.low.y)*d.scale}
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

func (d *drawing) head() {
	d.printf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="Helvetica, Arial, sans-serif">`+"\n",
		d.width,
		d.height,
		d.width,
		d.height,
	)
	d.printf(`<rect width="100%%" height="100%%" fill="#ffffff"/>` + "\n")
	d.printf(
		`<text x="%.0f" y="26" font-size="15" font-weight="bold" fill="#222222">%s</text>`+"\n",
		margin,
		html.EscapeString(d.legend.Title),
	)
}

func (d *drawing) frames() {
	for _, f := range d.s.frames {
		p := d.pixel(f.center)
		d.printf(
			`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="#f1f4f8" stroke="#d5dde6"/>`+"\n",
			p.x,
			p.y,
			f.radius*d.scale,
		)
	}
}

// bundle holds all links of a class (such as a dimension, or a level of a tree) between two cells. A cell is a box of the
// picture, of one or several routers. The bundle is drawn as one line.
type bundle struct {
	a, b  int32
	class uint16
	links int
}

// maxBundles is the largest number of lines drawn.
const maxBundles = 12000

// bundles lists the links between cells, at most maxBundles of them, evenly chosen.
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
		if last := len(merged) - 1; last >= 0 && merged[last].a == l.a && merged[last].b == l.b &&
			merged[last].class == l.class {
			merged[last].links++
			continue
		}
		merged = append(merged, l)
	}
	d.every = max(1, (len(merged)+maxBundles-1)/maxBundles)
	if d.every < 2 {
		return merged
	}
	var few []bundle
	for i := 0; i < len(merged); i += d.every {
		few = append(few, merged[i])
	}
	return few
}

func (d *drawing) links() {
	list := d.lines
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
			d.printf(
				`<g fill="none" stroke="%s" stroke-opacity="%.2f">`+"\n",
				d.legend.color(class),
				opacity,
			)
		}
		thick := width * max(1, min(4, math.Sqrt(float64(l.links)/usual)))
		d.printf(`<path d="%s" stroke-width="%.1f"/>`+"\n", d.path(int(l.a), int(l.b)), thick)
	}
	if class >= 0 {
		d.b.WriteString("</g>\n")
	}
}

// meanLinks returns the mean number of links for each line.
func meanLinks(list []bundle) float64 {
	links := 0
	for _, l := range list {
		links += l.links
	}
	return float64(links) / float64(max(len(list), 1))
}

// path returns the SVG path of a link between two cells: a straight line or a curve.
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

// Limits up to which individual hosts are drawn.
const (
	maxHostsDrawn  = 2000
	maxHostsOfCell = 24
	leastHosted    = 14.0 // minimum pixels for each unit of the scene
)

// withHosts reports whether hosts are drawn.
func (d *drawing) withHosts() bool { return d.g.Hosts <= maxHostsDrawn && d.scale >= leastHosted }

func (d *drawing) hosts() {
	if !d.withHosts() {
		return
	}
	d.b.WriteString(`<g fill="#5b6b7b">` + "\n")
	for c, m := range d.members {
		if m.hosts > maxHostsOfCell || m.routers > 1 {
			continue
		}
		for i, class := range d.classesOfHosts(m.first) {
			p, fill := d.pixel(d.s.at[c].plus(d.host(i, m.hosts))), ""
			if class != topology.LinkHost {
				fill = fmt.Sprintf(` fill="%s"`, hostColor(int(class)))
			}
			d.printf(`<circle cx="%.1f" cy="%.1f" r="%.1f"%s/>`+"\n", p.x, p.y, max(1.2, d.scale*0.045), fill)
		}
	}
	d.b.WriteString("</g>\n")
}

// classesOfHosts returns the classes of the links of hosts at a router.
func (d *drawing) classesOfHosts(router int) (classes []uint16) {
	for _, port := range d.g.Ports[d.g.PortBase[router]:d.g.PortBase[router+1]] {
		if port.NIC != topology.Unconnected && int(port.NIC)%d.g.NICsPerHost == 0 {
			classes = append(classes, port.Link)
		}
	}
	return classes
}

// host returns the position of host i of a router's hosts, relative to the router.
func (d *drawing) host(i, of int) point {
	if d.s.below {
		return point{(float64(i)+0.5)/float64(of)*0.9 - 0.45, 0.48}
	}
	return onCircle(0.38, float64(i)/float64(of)+0.125)
}

// routerSize returns half the side of a router's square in pixels.
func (d *drawing) routerSize() float64 { return min(11, max(1.8, d.scale*0.2)) }

func (d *drawing) routers() {
	size := d.routerSize()
	for c, m := range d.members {
		p := d.pixel(d.s.at[c])
		fill := "#22303c"
		if m.hosts == 0 {
			fill = "#ffffff"
		}
		if list := d.legend.Routers; list != nil && list[m.first] >= 0 {
			fill = d.legend.color(list[m.first])
		}
		d.printf(
			`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f" fill="%s" stroke="#22303c"><title>%s</title></rect>`+"\n",
			p.x-size,
			p.y-size,
			2*size,
			2*size,
			size/3,
			fill,
			html.EscapeString(d.name(m)),
		)
	}
}

// name describes the routers that a cell stands for.
func (d *drawing) name(m member) string {
	if m.routers == 1 {
		return fmt.Sprintf(
			"%s, router %d, %s",
			d.t.RouterName(m.first), m.first, humanize.Plural(m.hosts, "host"),
		)
	}
	return fmt.Sprintf(
		"%s from %s on, %s",
		humanize.Plural(m.routers, "router"), d.t.RouterName(m.first),
		humanize.Plural(m.hosts, "host"),
	)
}

func (d *drawing) most() int {
	most := 0
	for _, m := range d.members {
		most = max(most, m.routers)
	}
	return most
}
