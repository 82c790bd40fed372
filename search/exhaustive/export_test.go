package exhaustive

// WithQueue returns a strategy that lets so many boxes wait.
func WithQueue(boxes int) Strategy { return Strategy{maxQueue: boxes} }
