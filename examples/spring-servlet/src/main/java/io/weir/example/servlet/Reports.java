package io.weir.example.servlet;

import io.weir.spring.RateLimited;
import org.springframework.stereotype.Service;

/**
 * Makes reports, which is expensive: two per hour for each user, and ten per hour for all of them.
 */
@Service
class Reports {
  @RateLimited(limit = "2 per hour", per = "#user")
  @RateLimited("all-reports")
  public String create(String user) {
    return "report for " + user;
  }
}
