package routing

import "testing"

// TestVCClasses: channels are divided as evenly as classes allow, and all are used.
func TestVCClasses(t *testing.T) {
	for classes := 1; classes <= MaxVCs; classes++ {
		for vcs := classes; vcs <= MaxVCs; vcs++ {
			l, err := newVCClasses(vcs, classes, "test")
			if err != nil {
				t.Fatal(err)
			}
			used := map[uint16]int{}
			for class := range classes {
				if n := int(l.count[class]); n != vcs/classes && n != vcs/classes+1 {
					t.Fatalf("%d of %d channels in one of %d classes", n, vcs, classes)
				}
				for choice := range uint64(MaxVCs) {
					vc := l.vc(uint16(class), choice)
					if owner, taken := used[vc]; taken && owner != class {
						t.Fatalf("channel %d is in classes %d and %d", vc, owner, class)
					}
					used[vc] = class
				}
			}
			if len(used) != vcs {
				t.Fatalf("%d of %d channels used by %d classes", len(used), vcs, classes)
			}
		}
	}
}
