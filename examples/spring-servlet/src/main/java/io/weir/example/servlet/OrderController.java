package io.weir.example.servlet;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The endpoints of the shop. */
@RestController
class OrderController {
  private final Reports reports;

  OrderController(Reports reports) {
    this.reports = reports;
  }

  /** Limited by the rule {@code orders}, before it gets here. */
  @GetMapping("/orders/{id}")
  String order(@PathVariable("id") String id) {
    return "order " + id;
  }

  /** Limited in {@link Reports}, where the report is made. */
  @PostMapping("/reports")
  String report(@RequestParam("user") String user) {
    return reports.create(user);
  }
}
