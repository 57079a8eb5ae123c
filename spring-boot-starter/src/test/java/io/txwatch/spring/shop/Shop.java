package io.txwatch.spring.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A shop, as an application of Spring Boot. */
@SpringBootApplication
public class Shop {}
