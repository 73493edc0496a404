package predict

import "fabricast/topology"

// distanceBudget is the largest number of pairs of hosts whose distances are measured.
const distanceBudget = 1 << 22

// measure finds the mean and the greatest distance between different hosts. It measures from all
// hosts, or from as many evenly spread ones as distanceBudget allows.
func (z *ZeroLoad) measure(t topology.Topology) {
	hosts := t.Graph().Hosts
	sources := min(hosts, max(1, distanceBudget/hosts))
	z.MeanIsSample = sources < hosts
	var sum, pairs int
	for i := range sources {
		src := i * hosts / sources
		for dst := range hosts {
			d := t.Distance(src, dst)
			sum += d
			z.MostLinks = max(z.MostLinks, d)
		}
		pairs += hosts - 1
	}
	z.MeanLinks = float64(sum) / float64(max(pairs, 1))
}
