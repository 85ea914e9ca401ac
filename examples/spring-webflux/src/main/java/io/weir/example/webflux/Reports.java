package io.weir.example.webflux;

import io.weir.spring.RateLimited;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;

/**
 * Makes reports, which is expensive: two per hour for each user, and ten per hour for all of them.
 */
@Service
class Reports {
  @RateLimited(limit = "2 per hour", per = "#user")
  @RateLimited("all-reports")
  public Mono<String> create(String user) {
    return Mono.just("report for " + user);
  }
}
