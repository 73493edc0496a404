package causes

import "testing"

func TestEveryPartHasItsOwnName(t *testing.T) {
	seen := map[string]bool{}
	for p := range Count {
		if name := p.String(); name == "" || name == "unknown" || seen[name] {
			t.Errorf("part %d is called %q", p, name)
		}
		seen[p.String()] = true
	}
	if Count.String() != "unknown" {
		t.Errorf("no part is called %q", Count)
	}
}

func TestSums(t *testing.T) {
	var p, twice Parts
	for i := range p {
		p[i] = 1 << i
	}
	if want := int64(1)<<Count - 1; p.Sum() != want {
		t.Errorf("sum %d, want %d", p.Sum(), want)
	}
	if want := int64(1)<<(LastOfNetwork+1) - 1<<FirstOfNetwork; p.Network() != want {
		t.Errorf("the network's parts sum to %d, want %d", p.Network(), want)
	}
	twice.Add(&p)
	twice.Add(&p)
	if twice.Sum() != 2*p.Sum() {
		t.Errorf("twice the parts sum to %d, want %d", twice.Sum(), 2*p.Sum())
	}
}

func TestAMessageThatIsAloneOnlyWaitsForNothing(t *testing.T) {
	for _, p := range []Part{Software, SendDMA, Serialization, Pacing, Wire, Pipeline, ReceiveDMA} {
		if p.Waits() {
			t.Errorf("%s waits for others", p)
		}
	}
	for _, p := range []Part{NICQueue, InjectionCredit, Order, Output, Crossbar, Credit, Ejection} {
		if !p.Waits() {
			t.Errorf("%s does not wait for others", p)
		}
	}
}
