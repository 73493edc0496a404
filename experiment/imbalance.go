package experiment

import "fabricast/internal/units"

// Imbalance makes ranks start late, by random times. The mean of these times is half the width.
// Normal times have a standard deviation of a sixth of the width and are clamped to the range from
// 0 to the width. Uniform times range from 0 to the width. Exponential times have no upper limit
// (docs/model.md).
type Imbalance struct {
	Distribution string `yaml:"distribution,omitempty"`
	// Width is a time, or a share of the run time of the balanced experiment. 0 means that all
	// ranks start at once.
	Width units.Span `yaml:"width,omitempty"`
	Order string     `yaml:"order,omitempty"` // how the times are assigned to ranks: sorted (ascending) or random
	// Of is the run time of the balanced experiment. If it is 0 but needed, the balanced experiment
	// is simulated first.
	Of   units.Time `yaml:"of,omitempty"`
	File string     `yaml:"file,omitempty"` // file with one time per line, in the order of ranks
}

// Values of Imbalance.Distribution and Imbalance.Order.
const (
	ImbalanceNormal      = "normal"
	ImbalanceUniform     = "uniform"
	ImbalanceExponential = "exponential"
	ImbalanceFile        = "file"

	OrderSorted = "sorted"
	OrderRandom = "random"
)

// Limits of Imbalance.Width if it is a time, and if it is a share.
const (
	MaxWidth      = 100 * units.Second
	maxWidthShare = 100 * units.Whole
)

// Given reports whether there is an imbalance.
func (i *Imbalance) Given() bool { return *i != (Imbalance{}) }

// imbalance fills in the defaults of the imbalance, if there is one.
func (f filler) imbalance(i *Imbalance) {
	if !i.Given() && !f.e.positions.Has("imbalance") {
		return
	}
	if i.File != "" {
		give(f, "imbalance.distribution", &i.Distribution, ImbalanceFile)
		return
	}
	give(f, "imbalance.distribution", &i.Distribution, ImbalanceNormal)
	if i.Distribution != ImbalanceFile {
		give(f, "imbalance.order", &i.Order, OrderSorted)
	}
}

func (v *validator) imbalance() {
	i := &v.e.Imbalance
	if !i.Given() {
		return
	}
	if v.e.HasTraffic() {
		v.problem(
			"imbalance",
			"an imbalance of traffic",
			"one of a program",
			"traffic has no ranks that could begin late",
		)
		return
	}
	v.word("imbalance.distribution", i.Distribution)
	v.demand(i.Of >= 0 && i.Of <= MaxWidth, "imbalance.of", i.Of, "a time from 0ps to "+MaxWidth.String())
	if i.Distribution == ImbalanceFile {
		v.demand(
			i.File != "", "imbalance.file", "",
			"the name of a file of times, one a line, in the order of ranks",
		)
		v.demand(
			i.Width == units.Span{},
			"imbalance.width",
			i.Width,
			"no width: the file says when ranks begin",
		)
		v.demand(i.Order == "", "imbalance.order", i.Order, "no order: the file says which rank begins when")
		return
	}
	if !v.demand(i.File == "", "imbalance.distribution", i.Distribution, ImbalanceFile+", with a file") {
		return // the file determines everything else
	}
	v.word("imbalance.order", i.Order)
	w := i.Width
	switch {
	case w.Share != 0 && w.Time != 0:
		v.problem("imbalance.width", "both a share and a time", "one of them", "")
	case w == units.Span{} && v.e.positions.Has("imbalance") && !v.e.positions.Has("imbalance.width"):
		v.problem("imbalance.width", "", "a time such as 5us or a share such as 4%", "")
	}
	if (v.e.Launch != nil || v.e.Workload.Command != "") && w.Share != 0 && i.Of == 0 {
		v.problem(
			"imbalance.of",
			"",
			"the time of the balanced run",
			"a program's variables cannot be set back for a run of it before this one: run it "+
				"without imbalance, or give the width as a time",
		)
	}
	v.demand(w.Time >= 0 && w.Time <= MaxWidth, "imbalance.width", w, "a time from 0ps to "+MaxWidth.String())
	v.demand(
		w.Share >= 0 && w.Share <= maxWidthShare,
		"imbalance.width",
		w,
		"a share from 0% to "+units.Span{Share: maxWidthShare}.String(),
	)
}

// dropNothing removes an imbalance or noise that has no effect, so that the experiment equals one
// without it.
func (e *Experiment) dropNothing() {
	if e.Imbalance.Distribution != ImbalanceFile && e.Imbalance.Width == (units.Span{}) {
		e.Imbalance = Imbalance{}
	}
	if e.Noise.Lose == 0 && e.Noise.File == "" {
		e.Noise = Noise{}
	}
	for i := range e.Jobs {
		if im := &e.Jobs[i].Imbalance; im.Distribution != ImbalanceFile && im.Width == (units.Span{}) {
			*im = Imbalance{}
		}
	}
}

// Baseline returns the experiment without imbalance and noise, if its run time must be known before
// e can run: the width of the imbalance is then a share of that time. It returns nil if that time
// is not needed or Imbalance.Of gives it. The experiment e must be resolved.
func (e *Experiment) Baseline() *Experiment {
	if e.Imbalance.Width.Share == 0 || e.Imbalance.Of != 0 {
		return nil
	}
	balanced := *e
	balanced.Imbalance, balanced.Noise = Imbalance{}, Noise{}
	return &balanced
}
