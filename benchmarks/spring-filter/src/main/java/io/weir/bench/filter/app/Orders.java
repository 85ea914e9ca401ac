package io.weir.bench.filter.app;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A single resource with default settings; logs only warnings. */
@SpringBootApplication(proxyBeanMethods = false)
@RestController
public class Orders {
  /**
   * Takes {@code PORT WHICH RULES}.
   *
   * @param args its port; {@code plain}, {@code bucket4j}, {@code bucket4j-five} or {@code weir}; a
   *     rules file
   */
  public static void main(String[] args) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("server.address", "127.0.0.1");
    properties.put("server.port", args[0]);
    properties.put("server.tomcat.max-keep-alive-requests", -1); // one connection per run
    properties.put("bench.filter", args[1]);
    properties.put("weir.enabled", args[1].equals("weir"));
    properties.put("weir.rules-location", "file:" + args[2]);
    properties.put("spring.main.banner-mode", "off");
    properties.put("logging.level.root", "warn");
    SpringApplication application = new SpringApplication(Orders.class);
    application.setDefaultProperties(properties);
    application.run();
  }

  @Bean
  @ConditionalOnProperty(name = "bench.filter", havingValue = "bucket4j")
  BucketFilter filter() {
    return new BucketFilter(false);
  }

  @Bean
  @ConditionalOnProperty(name = "bench.filter", havingValue = "bucket4j-five")
  BucketFilter allHeadersFilter() {
    return new BucketFilter(true);
  }

  /** An order. */
  @GetMapping(path = "/api/v1/orders/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
  public String order(@PathVariable int id) {
    return "{\"id\":%d,\"state\":\"shipped\",\"items\":3}".formatted(id);
  }
}
