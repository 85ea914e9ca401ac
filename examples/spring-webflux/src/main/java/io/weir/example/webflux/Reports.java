package io.weir.example.webflux;

import io.weir.spring.RateLimited;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;

/** Makes reports, which costs: two an hour for each user, and ten an hour for all of them. */
@Service
class Reports {
  @RateLimited(limit = "2 per hour", per = "#user")
  @RateLimited("all-reports")
  public Mono<String> create(String user) {
    return Mono.just("report for " + user);
  }
}
