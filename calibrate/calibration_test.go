package calibrate

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/config"
)

// document parses the file of a network.
func document(t *testing.T, text string) *fabricast.Document {
	t.Helper()
	root, err := config.Parse(&config.Source{Name: "base.yaml", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return fabricast.NewDocument(root, ".")
}

const truth = `network:
  topology: {kind: fully-connected, routers: 1, hosts: 2}
  link: {bandwidth: 12.5GB/s, latency: 100ns}
  packet: {mtu: 4KiB, header: 64B}
node: {overhead: 333ns, dma: 25GB/s, work: {combine: 9GB/s}, protocol: {eager: 16KiB}}
`

// measuredOn simulates measurements, which stand for those of a machine.
func measuredOn(t *testing.T, text string, list []Measurement) []Measurement {
	t.Helper()
	s, err := newSimulator(context.Background(), document(t, text), "")
	if err != nil {
		t.Fatal(err)
	}
	times, err := s.times(nil, list)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i].Time = times[i]
	}
	return list
}

func sizesOf(program string, sizes ...int64) (list []Measurement) {
	for _, n := range sizes {
		list = append(list, Measurement{Program: program, Size: n, Ranks: 2})
	}
	return list
}

var manySizes = []int64{8, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 1048576}

// TestTruthIsFound: parameters that the measurements determine come back from wrong ones, those that
// they do not are reported, and the file can be read.
func TestTruthIsFound(t *testing.T) {
	list := append(sizesOf("pingpong", manySizes...), sizesOf("allreduce", 1024, 65536, 262144, 1048576)...)
	c := Calibration{
		Base: document(t, strings.NewReplacer(
			"12.5GB/s", "8GB/s", "333ns", "200ns", ", work: {combine: 9GB/s}, protocol: {eager: 16KiB}", "",
		).Replace(truth)),
		Measurements: measuredOn(t, truth, list), Hold: 0.2,
		Fit:      []string{"bandwidth", "overhead", "combine", "memory", "eager"},
		Progress: filepath.Join(t.TempDir(), "progress"),
	}
	r, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Found{}
	for _, p := range r.Parameters {
		found[p.Name] = p
	}
	for name, want := range map[string]string{"bandwidth": "12.5GB/s", "overhead": "333ns", "combine": "9GB/s"} {
		unit := Rates
		if name == "overhead" {
			unit = Times
		}
		p := found[name]
		if got := unit.read(p.Value); !p.Determined || math.Abs(got/unit.read(want)-1) > 0.01 {
			t.Errorf("%s is %+v, expected %s", name, p, want)
		}
		if !(unit.read(p.Low) <= unit.read(want) && unit.read(want) <= unit.read(p.High)) {
			t.Errorf("%s: %s is not from %s to %s", name, want, p.Low, p.High)
		}
	}
	if p := found["eager"]; !p.Determined || p.Value != "16384B" {
		t.Errorf("eager is %+v", p)
	}
	for _, name := range []string{"memory"} {
		if p := found[name]; p.Determined || p.Note == "" {
			t.Errorf("%s is %+v, expected a note", name, p)
		}
	}
	if r.Held.Count == 0 || r.Held.Most > 0.01 || r.Before.Median < 0.05 {
		t.Errorf("held back %s; before %s", r.Held, r.Before)
	}
	if _, err := os.Stat(c.Progress); err == nil {
		t.Error("the file of progress is still there")
	}
	var text strings.Builder
	if err := r.YAML(&text, "measured.csv"); err != nil {
		t.Fatal(err)
	}
	again := Calibration{Base: document(t, text.String()), Measurements: c.Measurements, Fit: []string{"hop"}}
	after, err := again.Run(context.Background())
	if err != nil {
		t.Fatalf("%v in\n%s", err, text.String())
	}
	if after.Before.Most > 0.01 {
		t.Errorf("with the file that was written: %s", after.Before)
	}
}

// TestGoesOn: a calibration that was interrupted takes up what it has simulated, and ends as one that
// was not.
func TestGoesOn(t *testing.T) {
	list := measuredOn(t, truth, sizesOf("pingpong", manySizes...))
	calibration := func() Calibration {
		return Calibration{
			Base: document(t, strings.Replace(truth, "333ns", "100ns", 1)), Measurements: list,
			Fit: []string{"overhead", "bandwidth"},
		}
	}
	whole := calibration()
	want, err := whole.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c := calibration()
	c.Progress = filepath.Join(t.TempDir(), "progress")
	ctx, stop := context.WithCancel(context.Background())
	calls := 0
	c.OnProgress = func(string) {
		if calls++; calls == 2 {
			stop()
		}
	}
	if _, err := c.Run(ctx); err == nil {
		t.Fatal("the interrupted calibration did not end")
	}
	got, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got.Simulations >= want.Simulations || got.Parameters[0].Value != want.Parameters[0].Value {
		t.Errorf(
			"%d simulations, %+v; in one go %d, %+v",
			got.Simulations,
			got.Parameters,
			want.Simulations,
			want.Parameters,
		)
	}
}

// TestModelsWithoutPackets are fitted by their own parameters.
func TestModelsWithoutPackets(t *testing.T) {
	const text = "network: {model: loggops, parameters: {L: 1us, o: 500ns, g: 100ns, G: 200ps, O: 0ns}}\nranks: 2\n"
	c := Calibration{
		Base:         document(t, strings.NewReplacer("o: 500ns", "o: 1us", "G: 200ps", "G: 1ns").Replace(text)),
		Measurements: measuredOn(t, text, sizesOf("pingpong", manySizes...)), Fit: []string{"o", "G"},
	}
	r, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.Fitted.Most > 0.01 || len(r.Parameters) != 2 || !r.Parameters[0].Determined ||
		!r.Parameters[1].Determined {
		t.Errorf("%s: %+v", r.Fitted, r.Parameters)
	}
}

// TestInverse inverts a matrix.
func TestInverse(t *testing.T) {
	m := matrix{{4, 2, 1}, {2, 5, 3}, {1, 3, 6}}
	i := m.inverse()
	for r := range m {
		for c := range m {
			sum := 0.0
			for k := range m {
				sum += m[r][k] * i[k][c]
			}
			want := 0.0
			if r == c {
				want = 1
			}
			if math.Abs(sum-want) > 1e-12 {
				t.Errorf("row %d, column %d: %g", r, c, sum)
			}
		}
	}
	if (matrix{{1, 1}, {1, 1}}).inverse() != nil {
		t.Error("a singular matrix has an inverse")
	}
}
