package io.weir.example.webflux;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A shop. Only {@link Reports} and {@code rules.yaml} mention limits. */
@SpringBootApplication
public class ShopApplication {
  /** Starts it. */
  public static void main(String[] arguments) {
    SpringApplication.run(ShopApplication.class, arguments);
  }
}
