package predict

import "fabricast/internal/plan"

// Shared is how several processes share the memory of a run.
type Shared struct {
	Processes int           `json:"processes"` // that are needed
	Each      plan.Forecast `json:"each"`      // what each of them needs
}
