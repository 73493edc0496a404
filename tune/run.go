package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/sweep"
)

// Runner runs a sweep of points. If points fail, it returns a table and a *sweep.PointsError.
type Runner func(round int, f *sweep.File) (*sweep.Table, error)

// Tune is a tune of an experiment's machine.
type Tune struct {
	spec  *Spec
	path  string
	root  *config.Node
	cells []*cell
}

// cell is a size on a number of ranks of a network.
type cell struct {
	network *network
	ranks   int
	bytes   int64
	points  []*point // by bound, ascending; of equal ones, in the order of the algorithms
	layout  *collective.Layout
}

// point is an algorithm of a cell.
type point struct {
	algorithm collective.Algorithm
	bound     int64 // ps, of one call
	work      float64
	time      int64 // ps of one call; 0: it was not run
	err       error
	skipped   bool
}

// best returns the shortest time of a cell; 0 if there is none yet.
func (c *cell) best() (best int64) {
	for _, p := range c.points {
		if p.time > 0 && (best == 0 || p.time < best) {
			best = p.time
		}
	}
	return best
}

// New prepares a tune of the network, nodes and placement of an experiment in a file. It returns a
// *fabricast.ConfigError if the file is wrong.
func New(ctx context.Context, path string, spec *Spec) (*Tune, error) {
	root, dir, err := experiment.Open(path)
	if err != nil {
		return nil, err
	}
	if fabricast.IsSweep(root) {
		return nil, refuse(root, "a sweep", "an experiment, whose program is replaced by the collective")
	}
	if config.Get(root, "jobs") != nil {
		return nil, refuse(config.Get(root, "jobs"), "jobs", "an experiment without jobs")
	}
	// paths in the experiment of a network file are not relative to the file
	t := &Tune{spec: spec, path: filepath.Join(dir, filepath.Base(path)), root: root}
	networks, err := t.networks()
	if err != nil {
		return nil, err
	}
	for _, n := range networks {
		list := spec.Ranks
		if list == nil {
			if list, err = t.ranks(n); err != nil {
				return nil, err
			}
		}
		for _, ranks := range list {
			if err := t.addCells(ctx, n, ranks); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

func refuse(n *config.Node, found, expected string) error {
	return fabricast.NewConfigError(config.Problems{{Position: n.Position, Found: found, Expected: expected}})
}

// ranks returns the number of ranks on a network, if none are given.
func (t *Tune) ranks(n *network) ([]int, error) {
	root := n.root
	if n.shape != nil { // the file's number is for its own shape
		root = config.Without(root, "ranks")
	}
	e, err := t.document(root, 8, collective.Algorithms(t.spec.Kind)[0].Name).Experiment()
	if err != nil {
		return nil, err
	}
	return []int{e.Ranks}, nil
}

// document returns an experiment with the program of a point.
func (t *Tune) document(root *config.Node, bytes int64, a collective.Algorithm) *fabricast.Document {
	root = config.Put(config.Without(root, "traffic"), "workload", t.workload(bytes, a))
	return fabricast.NewDocument(root, filepath.Dir(t.path))
}

// workload returns the workload of a point. It keeps the file's iterations.
func (t *Tune) workload(bytes int64, a collective.Algorithm) *config.Node {
	fields := []config.Field{
		{Key: "program", Value: scalar(string(t.spec.Kind))},
		{Key: "algorithm", Value: scalar(string(a))},
	}
	if t.spec.Kind != collective.KindBarrier {
		fields = append(fields, config.Field{Key: "size", Value: scalar(strconv.FormatInt(bytes, 10) + "B")})
	}
	if n := config.Get(t.root, "workload.iterations"); n != nil {
		fields = append(fields, config.Field{Key: "iterations", Value: n})
	}
	return &config.Node{Kind: config.Mapping, Fields: fields}
}

func scalar(text string) *config.Node { return &config.Node{Kind: config.Scalar, Text: text} }

// addCells adds the cells of a number of ranks on a network.
func (t *Tune) addCells(ctx context.Context, n *network, ranks int) error {
	sizes := t.spec.Sizes
	if t.spec.Kind == collective.KindBarrier {
		sizes = []int64{0}
	}
	root := config.Put(n.root, "ranks", scalar(strconv.Itoa(ranks)))
	e, err := t.document(root, sizes[0], collective.Algorithms(t.spec.Kind)[0].Name).Experiment()
	if err != nil {
		return err
	}
	m, err := newMachine(e)
	if err != nil {
		return err
	}
	for _, bytes := range sizes {
		c := &cell{network: n, ranks: ranks, bytes: bytes, layout: m.layout}
		for _, a := range t.spec.candidates(ranks, bytes, m.layout) {
			if err := ctx.Err(); err != nil {
				return &sweep.InterruptedError{Listing: true, Err: err}
			}
			p := &point{algorithm: a}
			p.bound, p.work = m.bound(t.spec.Kind, a, ranks, bytes)
			c.points = append(c.points, p)
		}
		if len(c.points) == 0 {
			return fabricast.NewConfigError(config.Problems{{
				Field: "ranks", Found: fmt.Sprintf("%d ranks, on which none of the algorithms can run", ranks),
				Expected: "another number of ranks, or more algorithms",
			}})
		}
		slices.SortStableFunc(c.points, func(a, b *point) int { return cmp.Compare(a.bound, b.bound) })
		t.cells = append(t.cells, c)
	}
	return nil
}

// Run runs the points in rounds, and returns the result. In each round, every cell runs those points
// that have the lowest bounds, one in the first round, and then twice as many as before. A point
// whose bound is above a time found in its cell cannot win, and is not run. If points failed, the
// error is a *sweep.PointsError, and there is a result.
func (t *Tune) Run(run Runner) (*Result, error) {
	var failed sweep.PointsError
	for round, most := 1, 1; ; round, most = round+1, 2*most {
		list := t.round(most)
		if len(list) == 0 {
			break
		}
		f, err := t.sweep(list)
		if err != nil {
			return nil, err
		}
		table, err := run(round, f)
		var points *sweep.PointsError
		if err != nil && !errors.As(err, &points) || table == nil {
			return nil, err
		}
		failed.Points += len(list)
		if points != nil {
			failed.Failed += points.Failed
			failed.First = cmp.Or(failed.First, points.First)
		}
		for i := range table.Rows {
			p, row := list[i].point, &table.Rows[i]
			switch {
			case row.Err != nil:
				p.err = row.Err
			case row.Result != nil:
				p.time = max(int64(row.Result.SimulatedTime)/list[i].iterations(row), 1)
			default:
				p.err = errors.New("no result")
			}
		}
	}
	r, err := t.result()
	if err == nil && failed.Failed > 0 {
		err = &failed
	}
	return r, err
}

// job is a point to run.
type job struct {
	*point
	cell *cell
}

func (job) iterations(row *sweep.Row) int64 {
	return int64(max(row.Point.Experiment.Workload.Iterations, 1))
}

// round returns the points of a round, at most most of each cell.
func (t *Tune) round(most int) (list []job) {
	for _, c := range t.cells {
		n := 0
		best := c.best()
		for _, p := range c.points {
			switch {
			case p.time > 0 || p.err != nil || p.skipped:
			case !t.spec.All && best > 0 && p.bound > best:
				p.skipped = true
			case n < most || t.spec.All:
				list = append(list, job{p, c})
				n++
			}
		}
	}
	return list
}

// sweep returns the sweep of points.
func (t *Tune) sweep(list []job) (*sweep.File, error) {
	var cases []sweep.Case
	for _, j := range list {
		with := map[string]string{
			"collective_ranks": strconv.Itoa(j.cell.ranks), "collective_bytes": strconv.FormatInt(j.cell.bytes, 10),
			"work": strconv.FormatFloat(j.work, 'f', 0, 64),
		}
		set := map[string]*config.Node{
			"ranks": scalar(strconv.Itoa(j.cell.ranks)), "workload": t.workload(j.cell.bytes, j.algorithm),
		}
		label := fmt.Sprintf("%s of %d bytes on %d ranks", j.algorithm, j.cell.bytes, j.cell.ranks)
		if n := j.cell.network; n.shape != nil {
			set[n.field] = n.shape.node()
			label += " of " + n.shape.String()
		}
		cases = append(cases, sweep.Case{Label: label, Set: set, With: with})
	}
	return sweep.New(
		t.path, config.Without(t.root, "traffic"), []sweep.Axis{{Name: "point", Cases: cases}},
		[]sweep.Column{{Name: "simulated_time_ps"}}, "work",
	)
}
