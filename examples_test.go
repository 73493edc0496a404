package fabricast_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"fabricast"
	"fabricast/internal/built"
	"fabricast/internal/producttest"
)

// prediction is the end of the last rank, and the hash of all messages.
type prediction struct {
	time fabricast.Time
	hash string
}

// golden are the results of the examples that run in seconds. A change here is
// a change of predictions: it is made on purpose and told in the changelog.
var golden = map[string]prediction{
	"back-to-back.yaml":        {63_905_600, "f32022b620aa3557f47cba6e70264443"},
	"cluster/run.yaml":         {50_371_920, "f0c86803acfc4f2f97ffcfab142dbefe"},
	"cluster.yaml":             {227_659_920, "215e6b48c833a62deb252873a90cb2b7"},
	"dragonfly.yaml":           {75_616_480, "c714358bafc52d565e77b5a0f273b734"},
	"fat-tree.yaml":            {143_705_760, "28df9d0f6a3c97ff6b396bf4ba4accb5"},
	"flattened-butterfly.yaml": {95_537_200, "5b86652a7f17c54da58dfdc906f8919d"},
	"slim-fly.yaml":            {254_456_400, "7fa25db61cb3f48eb247ac9fcbbdf2d7"},
	"superblocks.yaml":         {81_092_800, "ccab082aaa82a23403ca1d2c9d81f60f"},
	"recorded.yaml":            {8_013_173_593, "a2041ca43e2e5f90f5f085a1441b91c3"},
	"rendezvous.yaml":          {110_281_600, "0be52646125f749c08623018f93eaed8"},
	"lumi.yaml":                {1_030_153_020, "494c858b9ea3cdfb141116a0dd81312e"},
	"ai/nccl-mn5.yaml":         {88_903_595, "75537bbd254129e0cc465b62ab7bd448"},
	"loggops.yaml":             {3_987_100_000, "18fea411d993c25630e1b8daf4ce4ae0"},
	"quickstart.yaml":          {57_269_200, "fd6c6c982ab2ef84af03513b984ddcd5"},
	"tune/fat-tree.yaml":       {208_871_520, "24fb441d14872483d9a6b755dffae545"},
	"tofu.yaml":                {86_099_200, "9d5104663c1bf06154451cd56fc1cf9a"},
	"swing.yaml":               {22_051_072, "a9e1207f01fa2a95b1513dd15f16738e"},

	"jobs.yaml":                {417_060_480, "e262bb2289f6277020a8ed456bd4d305"},
	"leanmd.yaml":              {118_416_800, "e02bedebb3157f00538ccd5b3c91bac8"},
	"in-network/nvls.yaml":     {178_807_939, "e28bf0c67d2c384622ea8d3439d32927"},
	"in-network/sharp.yaml":    {16_499_253, "ec50a20064e6cf43104ce3b3d4b09fe7"},
	"failures/link-down.yaml":  {425_984_880, "3cb341fe93848e4fb6555485d6043c55"},
	"failures/lossy.yaml":      {590_424_800, "c5bc7f08e99674dea64b26b00cdda8a1"},
	"io-bus.yaml":              {370_429_330, "b8cc2baf876c971520873351403dbbde"},
	"failures/atlas.yaml":      {411_012_480, "b2f67ec4dc58023c7ddfe9c6b315839e"},
	"ai/superpod.yaml":         {245_941_829, "318244aca2c9756df5b7cf785922ef47"},
	"congestion/classes.yaml":  {2_418_196_800, "1f406b2c413b2d4542224571f3d3a76f"},
	"pacing.yaml":              {1_915_023_880, "7f735126d052587a232a2db1db52372b"},
	"ai/gpt3-175b-selene.yaml": {17_372_580_811_386, "3222b471713cc16323f7baa477be8c48"},
	"ai/llama3-70b-h100.yaml":  {14_156_992_317_353, "5fbff8e6bc0e419a1fb9b29d797dae5e"},
	"ai/moe-two-jobs.yaml":     {7_893_567_149, "f1dd2ff1fbfe9710c326da8c6e301c5e"},
	"ai/serving.yaml":          {615_249_393_172, "9aa6c02498d4f1f65511676a24b3f738"},
	"uniform-torus.yaml":       {46_713_000, "af8895f184c62e9abe1b8b12512a38ca"},
}

// goldenTraces are the results of examples that replay traces, which the command opens.
var goldenTraces = map[string]prediction{
	"congestion/dcqcn-victim.yaml":  {3_269_140_850, "b026061f857b00bb3ad266dd43250de8"},
	"congestion/uec-incast-15.yaml": {2_464_051_093, "fa34d52fda2e00bca0163fef59b6ccbb"},
	"congestion/uec-one-flow.yaml":  {176_199_520, "d83321410bde17728464fb5a0bce6d25"},
}

// TestGoldenTraces runs these examples, as TestGoldenExamples does.
func TestGoldenTraces(t *testing.T) {
	command := built.Command(t)
	for i, name := range slices.Sorted(maps.Keys(goldenTraces)) {
		for workers := 1; workers <= 3; workers++ {
			if producttest.Turn(t, i+workers, 3) {
				compareBuilt(t, command, name, goldenTraces[name], "--workers", strconv.Itoa(workers))
			}
		}
	}
}

// TestGoldenExamples runs every example, with other numbers of workers for each commit; long tests with all.
func TestGoldenExamples(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(golden)) {
		want := golden[name]
		e, err := fabricast.Load(filepath.Join("examples", name))
		if err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers <= 3; workers++ {
			if !producttest.Turn(t, i+workers, 3) {
				continue
			}
			r := producttest.Run(t, e, fabricast.Workers(workers))
			if r.SimulatedTime != want.time || r.Hash != want.hash {
				t.Errorf("%s with %d workers: %d ps and %s, want %d ps and %s",
					name, workers, r.SimulatedTime, r.Hash, want.time, want.hash)
			}
		}
	}
}

// TestGoldenExamplesAsBuilt: the command as it is built for use, without checks of the model's invariants,
// predicts the same of a third of the examples, others for each commit; long tests take all.
func TestGoldenExamplesAsBuilt(t *testing.T) {
	command := built.Command(t)
	for i, name := range slices.Sorted(maps.Keys(golden)) {
		if !producttest.Turn(t, i, 3) {
			continue
		}
		compareBuilt(t, command, name, golden[name])
	}
}

// compareBuilt runs an example by the command as it is built for use.
func compareBuilt(t *testing.T, command, name string, want prediction, flags ...string) {
	t.Helper()
	arguments := append([]string{"run", filepath.Join("examples", name), "--json"}, flags...)
	out, err := exec.Command(command, arguments...).Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var r fabricast.Result
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	if r.SimulatedTime != want.time || r.Hash != want.hash {
		t.Errorf("%s %v: %d ps and %s, want %d ps and %s", name, flags, r.SimulatedTime, r.Hash, want.time, want.hash)
	}
}

// TestExamplesAreRight checks every example, the large ones too, without running it.
func TestExamplesAreRight(t *testing.T) {
	files, err := filepath.Glob("examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for name := range golden {
		file := filepath.Join("examples", name)
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		} else if !slices.Contains(files, file) {
			files = append(files, file) // in a folder of its own, with its network
		}
	}
	for _, file := range files {
		e, err := fabricast.Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := e.Preview(); err != nil {
			t.Error(err)
		}
	}
}
