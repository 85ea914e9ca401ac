package io.weir.example.servlet;

import io.weir.spring.RateLimited;
import org.springframework.stereotype.Service;

/** Makes reports, which costs: two an hour for each user, and ten an hour for all of them. */
@Service
class Reports {
  @RateLimited(limit = "2 per hour", per = "#user")
  @RateLimited("all-reports")
  public String create(String user) {
    return "report for " + user;
  }
}
