package predict

import "fabricast/internal/plan"

// Shared describes a run that several processes share because its memory exceeds that of one
// machine.
type Shared struct {
	Processes int           `json:"processes"` // number of processes needed
	Each      plan.Forecast `json:"each"`      // forecast for each of them
}
