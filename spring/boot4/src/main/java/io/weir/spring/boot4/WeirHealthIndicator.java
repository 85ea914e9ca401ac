package io.weir.spring.boot4;

import io.weir.runtime.Node;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Reports the state of the store. It never makes the application unhealthy, because {@code
 * on_failure} of each rule decides what happens then.
 */
final class WeirHealthIndicator implements HealthIndicator {
  private final Node node;

  WeirHealthIndicator(Node node) {
    this.node = node;
  }

  @Override
  public Health health() {
    return Health.up().withDetails(StoreDetails.of(node)).build();
  }
}
