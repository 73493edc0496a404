package report

import (
	"fmt"
	"io"

	"fabricast"
	"fabricast/traffic"
)

// trafficText writes the result of synthetic traffic.
func trafficText(w io.Writer, r *fabricast.Result) error {
	t := &table{}
	x := r.Traffic
	if x.Offered > 0 {
		t.add(
			"offered load",
			Load(x.Offered.Float()), x.Pattern+" traffic, as a share of the host links' bandwidth",
		)
	} else {
		t.add("closed loop", "", x.Pattern+" traffic")
	}
	t.add(
		"accepted",
		Load(x.Accepted.Mean),
		fmt.Sprintf("%s, hosts received %s to %s, sent %s to %s", within(x.Accepted.Half, Load),
			Load(x.Accepted.Min), Load(x.Accepted.Max), Load(x.Accepted.SentMin), Load(x.Accepted.SentMax)),
	)
	if r.State == "" {
		t.add("", verdict(x), "")
	} else {
		t.add("", "not judged: the measurement had not ended", "")
	}
	faults(t, r.Faults)
	capacity(t, x.Capacity)
	t.add(
		"latency",
		"mean "+Time(int64(x.Latency.Mean)),
		within(x.Latency.Half, func(v float64) string { return Time(int64(v)) })+
			fmt.Sprintf(
				", median %s, 95 %% %s, 99 %% %s, maximum %s",
				Time(x.Latency.P50), Time(x.Latency.P95), Time(x.Latency.P99), Time(x.Latency.Max),
			),
	)
	for _, c := range x.Classes {
		t.add(
			"  "+nameOfClass(c.Class, c.Name),
			Load(c.Accepted),
			fmt.Sprintf(
				"accepted, %s of the traffic; latency: mean %s, median %s, 95 %% %s, 99 %% %s, maximum %s",
				Percent(c.Share), Time(int64(c.Latency.Mean)), Time(c.Latency.P50), Time(c.Latency.P95), Time(c.Latency.P99),
				Time(c.Latency.Max),
			),
		)
	}
	sizes(t, "", x.Sizes)
	sizes(t, "incasts, ", x.Incasts)
	t.add(
		"in the network",
		"mean "+Time(int64(x.NetworkLatency)),
		fmt.Sprintf("of a packet, over %s links between routers", significant(x.Hops)),
	)
	t.add(
		"measured",
		Time(x.Measured),
		fmt.Sprintf("%s messages, after %s to warm up", Count(x.Messages), Time(x.WarmUp)),
	)
	usage(t, r)
	effort(t, r)
	_, err := io.WriteString(w, t.String())
	return err
}

// sizes adds the results of messages by size.
func sizes(t *table, what string, list []fabricast.TrafficSizes) {
	for _, s := range list {
		t.add(
			fmt.Sprintf("  %s%s to %s", what, s.From, s.To),
			"mean "+Time(int64(s.Latency.Mean)),
			fmt.Sprintf(
				"99 %% %s; slowdown: mean %s, median %s, 99 %% %s; %s messages", Time(s.Latency.P99),
				significant(s.Slowdown.Mean), significant(s.Slowdown.P50), significant(s.Slowdown.P99), Count(s.Messages),
			),
		)
	}
}

// capacity adds the load at which the busiest link would be full, if it is known.
func capacity(t *table, c *fabricast.Capacity) {
	switch {
	case c == nil:
	case c.Exact:
		t.add("capacity", Load(c.Load), "at which the busiest link between routers would be full, "+c.Link)
		if c.Hosts < min(c.Load, 0.9999) {
			t.add("", Load(c.Hosts), "at which the busiest link to a host would be")
		}
	default:
		t.add(
			"capacity",
			Load(c.Load),
			fmt.Sprintf(
				"estimated, 95 %% sure to be from %s to %s: at which the busiest link between "+
					"routers would be full",
				Load(c.Low), Load(c.High),
			),
		)
	}
}

// Load formats a load as a share of a bandwidth.
func Load(v float64) string { return fmt.Sprintf("%.4f", v) }

// within formats the half-width of a confidence interval; a negative value means that there is
// none.
func within(half float64, show func(float64) string) string {
	if half < 0 {
		return "no interval: batches are too few or correlated"
	}
	return "+- " + show(half)
}

// Saturated describes why a network is saturated. growth is the share of the offered traffic that
// accumulates at all sources, worst the share at the worst source.
func Saturated(cause traffic.Cause, growth, worst float64) string {
	switch cause {
	case traffic.BySource:
		return fmt.Sprintf(
			"%s of what one source offers piles up there, and %s of what all offer",
			Percent(worst), Percent(growth),
		)
	case traffic.ByDrain:
		return "measured messages had not all arrived after a wait as long as the measurement"
	}
	return Percent(growth) + " of what is offered piles up at the sources"
}

// verdict says in words whether the network accepted the offered load, and how precise the
// measurement is.
func verdict(x *fabricast.TrafficResult) string {
	text := "stable: the network keeps up"
	if !x.Stable {
		text = "saturated: " + Saturated(x.SaturatedBy, x.Growth, x.WorstGrowth)
	}
	switch {
	case x.Converged:
	case x.Longest > 0:
		text += fmt.Sprintf(
			" (not precise: measure.longest, %s, ended the warm-up or the measurement)",
			x.Longest,
		)
	default:
		text += " (not precise: the run was too short for its load)"
	}
	return text
}
