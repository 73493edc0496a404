package training

import (
	"math"
	"testing"

	"fabricast/workload/transformer"
)

// Megatron-Core on H100 (NVIDIA/Megatron-LM, images/model_table.png): nine models on 48 data ranks.
// What the table does not say is assumed to be the same for all: a microbatch of one sequence,
// chunks of one layer, sequence parallelism with tensor ranks, the distributed optimizer, no
// recomputation. Rates are those of Calculon's system h100_80g_nvl8: 450 GB/s x 60 % of NVLink in
// 1 us, 50 GB/s x 90 % of a NIC in 2 us. Nothing was fitted.
func TestMegatronCore(t *testing.T) {
	for _, row := range []struct {
		name                    string
		heads, hidden, layers   int
		tensor, pipeline, batch int
		tflops                  float64 // published, of a GPU
		off                     float64 // of the prediction, in percent
	}{
		{"1.7B", 16, 2048, 24, 1, 1, 192, 408.8, 35.0},
		{"7.1B", 32, 4096, 30, 2, 1, 192, 465.9, 17.8},
		{"16B", 48, 6144, 32, 4, 1, 192, 489.1, -4.3},
		{"32B", 56, 7168, 48, 8, 1, 192, 459.6, -29.4},
		{"70B", 64, 8192, 84, 8, 2, 384, 419.7, -1.2},
		{"119B", 80, 10240, 92, 8, 4, 768, 420.5, 6.2},
		{"177B", 96, 12288, 96, 8, 6, 1152, 432.8, 7.9},
		{"314B", 128, 16384, 96, 8, 8, 1536, 474.4, 5.0},
		{"462B", 144, 18432, 112, 8, 16, 3072, 459.9, 7.0},
	} {
		const data, sequence, vocabulary = 48, 4096, 131072
		virtual := 1
		if row.pipeline > 1 {
			virtual = row.layers / row.pipeline
		}
		j, problems := Job{
			Model: transformer.Model{
				Layers: row.layers, Hidden: row.hidden, Heads: row.heads, Sequence: sequence, Vocabulary: vocabulary,
				Attention: transformer.Flash, Embeddings: transformer.Untied,
			},
			Parallel: Parallel{
				Tensor: row.tensor, Pipeline: row.pipeline, Virtual: virtual, Data: data, Sequence: row.tensor > 1, Zero: 1,
			},
			Batch: row.batch,
		}.Resolved(data * row.tensor * row.pipeline)
		if len(problems) > 0 {
			t.Fatal(row.name, problems)
		}
		const nvlink, nic, gpus = 450e9 * 0.6, 50e9 * 0.9, 8
		sizes := j.layout().sizes()
		inside := ring(sizes, nvlink, 1e6)
		// rings of data ranks leave a node by the NICs of all their ranks there
		outside := ring(sizes, min(nvlink, nic*float64(gpus/row.tensor)), 2e6)
		cost := func(o *op) int64 {
			if o.family == tensorGroup {
				return inside(o)
			}
			return outside(o)
		}
		took, _ := play(j.scripts(), cost, int64(2e6+float64(j.sent())/nic*1e12))
		tflops := j.Model.StepOperations(j.Batch) / (float64(took) / 1e12) / float64(j.Ranks()) / 1e12
		off := 100 * (tflops/row.tflops - 1)
		t.Logf("%s: %.1f TFLOPS a GPU, published %.1f: %+.1f %%", row.name, tflops, row.tflops, off)
		if math.Abs(off-row.off) > 0.1 {
			t.Errorf("%s: %+.2f %%, not %+.1f %%", row.name, off, row.off)
		}
	}
}
