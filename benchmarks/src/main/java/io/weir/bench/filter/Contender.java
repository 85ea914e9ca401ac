package io.weir.bench.filter;

import io.weir.bench.server.Competitor;

/** The contenders. */
enum Contender implements Competitor {
  PLAIN("no filter"),
  BUCKET4J("a filter around Bucket4j"),
  BUCKET4J_FIVE("the same with the five headers of Weir"),
  WEIR("Weir's starter");

  private final String label;

  Contender(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }
}
