package account

// BelieveAll lets a service start anything up to the whole balance that it knows, as if no other
// process spent from it. It is the naive variant that a test must refute.
func (s *Service) BelieveAll() { s.known.share = 1 }
